import type { HandlerOutcome, Json, RunError } from '@escapement/core';
import { maskText, maskWith } from '@escapement/core/mask';
import { refusal } from '../refusal.ts';
import { placeOfSecret, secretKept } from './kept-secret.ts';

type Mask = (text: string) => string;

/**
 * The outcome without secrets in its output, error or reason. What would be kept for later (state, payloads of chained runs) is
 * not changed in silence: if a secret is in there, the run fails, and is not tried again.
 */
export function maskOutcome(outcome: HandlerOutcome, secrets: readonly string[]): HandlerOutcome {
  const effects = outcome.status === 'succeeded' ? outcome.effects : undefined;
  const place = effects && placeOfSecret(effects, secrets);
  return place === undefined ? maskShown(outcome, secrets) : refusal(secretKept(place));
}

/** What people read of an outcome, without these secrets; what is kept for later is left as it is. */
export function maskShown(outcome: HandlerOutcome, secrets: readonly string[]): HandlerOutcome {
  const mask: Mask = (text) => maskWith(secrets, text);
  switch (outcome.status) {
    case 'succeeded':
      return outcome.output === undefined ? outcome : { ...outcome, output: maskJson(outcome.output, mask) };
    case 'skipped':
      return { ...outcome, reason: maskText(mask(outcome.reason)) };
    case 'failed': {
      const seen = outcome.seen === undefined ? {} : { seen: mask(outcome.seen) };
      return { ...outcome, ...seen, error: maskError(outcome.error, (text) => maskText(mask(text))) };
    }
  }
}

function maskError(error: RunError, mask: Mask): RunError {
  const { message, stack, cause, fields } = error;
  return {
    ...error,
    message: mask(message),
    ...(stack === undefined ? {} : { stack: mask(stack) }),
    ...(cause === undefined ? {} : { cause: maskError(cause, mask) }),
    ...(fields === undefined ? {} : { fields: maskFields(fields, mask) }),
  };
}

function maskFields(fields: { [key: string]: Json }, mask: Mask): { [key: string]: Json } {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [mask(key), maskJson(value, mask)]));
}

function maskJson(value: Json, mask: Mask): Json {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskJson(item, mask));
  return typeof value === 'object' && value !== null ? maskFields(value, mask) : value;
}
