import { httpHandler, type Json, systemClock } from '@escapement/core';
import { createHttpHandler, type SecretLookup } from '@escapement/handlers';
import { record } from './context.ts';

/** Starts an http task; `done` is its outcome. */
export function startHttp(spec: Record<string, unknown>, payload?: Json, secrets: SecretLookup = () => undefined) {
  const recorded = record(httpHandler.parse({ type: 'http', ...spec }), payload);
  return { ...recorded, done: createHttpHandler({ secrets, clock: systemClock })(recorded.context) };
}
