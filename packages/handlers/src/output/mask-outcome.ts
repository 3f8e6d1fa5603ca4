import type { HandlerOutcome, Json, RunError } from '@escapement/core';
import { createMasker } from './masker.ts';

/** The outcome without secrets in its error or reason. What a handler returns on purpose, its output, stays as it is. */
export function maskOutcome(outcome: HandlerOutcome, secrets: readonly string[]): HandlerOutcome {
  if (secrets.length === 0 || outcome.status === 'succeeded') return outcome;
  const mask = (text: string) => {
    const masker = createMasker(secrets);
    return masker.push(text) + masker.end();
  };
  if (outcome.status === 'skipped') return { ...outcome, reason: mask(outcome.reason) };
  return { ...outcome, error: maskError(outcome.error, mask) };
}

function maskError(error: RunError, mask: (text: string) => string): RunError {
  const { message, stack, cause, fields } = error;
  return {
    ...error,
    message: mask(message),
    ...(stack === undefined ? {} : { stack: mask(stack) }),
    ...(cause === undefined ? {} : { cause: maskError(cause, mask) }),
    ...(fields === undefined ? {} : { fields: maskFields(fields, mask) }),
  };
}

function maskFields(fields: { [key: string]: Json }, mask: (text: string) => string): { [key: string]: Json } {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, maskJson(value, mask)]));
}

function maskJson(value: Json, mask: (text: string) => string): Json {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskJson(item, mask));
  return typeof value === 'object' && value !== null ? maskFields(value, mask) : value;
}
