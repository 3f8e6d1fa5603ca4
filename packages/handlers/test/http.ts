import { httpHandler, type Json, systemClock, type TaskState } from '@escapement/core';
import { parseEgress } from '@escapement/core/egress';
import { createHttpHandler, type SecretLookup } from '@escapement/handlers';
import { record } from './context.ts';

/** The targets of these tests are on this machine. */
const LOCAL = parseEgress('public,loopback');

/** Starts an http task; `done` is its outcome. */
export function startHttp(
  spec: Record<string, unknown>,
  payload?: Json,
  secrets: SecretLookup = () => undefined,
  state?: TaskState,
) {
  const recorded = record(httpHandler.parse({ type: 'http', ...spec }), payload);
  const context = state ? { ...recorded.context, state } : recorded.context;
  return { ...recorded, done: createHttpHandler({ secrets, clock: systemClock, egress: LOCAL })(context) };
}
