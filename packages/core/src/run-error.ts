import { EscapementError, FatalError, RetryAfter, Skip } from './errors.ts';
import type { HandlerOutcome, RunError } from './handler.ts';
import { nearestInstant } from './instant.ts';
import { admitJson, type Json, storableText } from './json.ts';

/** Bounds of an error in the ledger, in UTF-16 units; what exceeds them is cut and marked with `…`. */
const MAX_NAME = 200;
export const MAX_MESSAGE = 8 * 1024;
const MAX_STACK = 16 * 1024;
const MAX_FIELDS = 8 * 1024;
const MAX_FIELD_DEPTH = 4;
const MAX_FIELD_COUNT = 50;
const MAX_CAUSES = 4;

const OWN_PLACE = new Set(['name', 'message', 'stack', 'cause']);

/**
 * Whatever was thrown, as the ledger keeps it. Never throws: a getter that fails, a cycle or a
 * Proxy must not turn one failed run into a lost one.
 */
export function toRunError(thrown: unknown): RunError {
  try {
    return describeThrown(thrown, MAX_CAUSES);
  } catch {
    return { name: typeof thrown, message: 'what was thrown cannot be read' };
  }
}

/** An error that a handler tells of itself, within the same bounds. Never throws. */
export function admitRunError(error: RunError): RunError {
  try {
    return admitError(error, MAX_CAUSES);
  } catch {
    return toRunError(error);
  }
}

function admitError({ name, message, stack, cause, fields }: RunError, causesLeft: number): RunError {
  return {
    name: storableWithin(name, MAX_NAME),
    message: storableWithin(message, MAX_MESSAGE),
    ...(stack === undefined ? {} : { stack: storableWithin(stack, MAX_STACK) }),
    ...(cause === undefined || causesLeft === 0 ? {} : { cause: admitError(cause, causesLeft - 1) }),
    ...(fields === undefined ? {} : { fields: admitFields(fields) }),
  };
}

function admitFields(fields: { [key: string]: Json }): { [key: string]: Json } {
  try {
    admitJson(fields, 'the fields');
    return fields;
  } catch {
    return fieldsOf(fields) ?? {};
  }
}

/** What a handler's exception means for its run: `Skip` skips, `FatalError` fails for good, the rest fails. */
export function outcomeOfThrown(thrown: unknown, now: Date): HandlerOutcome {
  const error = toRunError(thrown);
  if (is(thrown, Skip)) return { status: 'skipped', reason: error.message || 'the handler had nothing to do' };
  if (is(thrown, FatalError)) return { status: 'failed', error, retry: 'never' };
  const at = is(thrown, RetryAfter) ? retryInstant(read(thrown, 'at'), now) : undefined;
  return at ? { status: 'failed', error, retry: { at } } : { status: 'failed', error };
}

/** The outcome of an attempt that another one would only repeat. */
export function failedForGood(thrown: unknown): Extract<HandlerOutcome, { status: 'failed' }> {
  return {
    status: 'failed',
    error: thrown instanceof EscapementError ? refused(thrown) : toRunError(thrown),
    retry: 'never',
  };
}

/** The ledger keeps a message and no fix: it is told in the message. Where in Escapement it was refused helps nobody. */
function refused({ name, code, message, fix }: EscapementError): RunError {
  const words = fix === undefined ? message : `${message}; ${fix}`;
  return { name, message: storableWithin(words, MAX_MESSAGE), fields: { code } };
}

/** By name as well as by class: a task module may bring its own copy of this package. */
function is(thrown: unknown, type: { new (...args: never[]): Error; name: string }): boolean {
  try {
    return thrown instanceof type || (thrown instanceof Error && thrown.name === type.name);
  } catch {
    return false;
  }
}

function retryInstant(at: unknown, now: Date): Date | undefined {
  const instant = at instanceof Date ? at : new Date(now.getTime() + Math.max(0, Number(at)));
  return Number.isNaN(instant.getTime()) ? undefined : nearestInstant(instant.getTime());
}

function describeThrown(thrown: unknown, causesLeft: number): RunError {
  if (typeof thrown !== 'object' || thrown === null) return { name: typeof thrown, message: text(thrown, MAX_MESSAGE) };
  const message = read(thrown, 'message');
  const error: RunError = {
    name: text(read(thrown, 'name') || className(thrown), MAX_NAME),
    message: message === undefined ? inJson(thrown) : text(message, MAX_MESSAGE),
  };
  const stack = read(thrown, 'stack');
  if (typeof stack === 'string') error.stack = text(stack, MAX_STACK);
  const cause = read(thrown, 'cause');
  if (cause !== undefined && causesLeft > 0) error.cause = describeThrown(cause, causesLeft - 1);
  const fields = message === undefined ? undefined : fieldsOf(thrown);
  if (fields) error.fields = fields;
  return error;
}

function fieldsOf(thrown: object): RunError['fields'] {
  const fields: { [key: string]: Json } = {};
  for (const key of keysOf(thrown))
    if (!OWN_PLACE.has(key)) fields[storableText(key)] = lossyJson(read(thrown, key), 1);
  // Not enumerable, yet the only place where an AggregateError says what happened.
  if (thrown instanceof AggregateError) fields.errors = lossyJson(thrown.errors, 1);
  if (Object.keys(fields).length === 0) return undefined;
  const size = JSON.stringify(fields).length;
  return size <= MAX_FIELDS ? fields : { dropped: `fields of ${size} characters; at most ${MAX_FIELDS} are kept` };
}

/** JSON that always succeeds: what JSON cannot hold becomes text, what is too deep or too long is cut. */
function lossyJson(value: unknown, depth: number): Json {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return text(value, MAX_MESSAGE);
  if (value instanceof Error) return text(`${read(value, 'name')}: ${read(value, 'message')}`, MAX_MESSAGE);
  if (value instanceof Date || value instanceof URL) return text(value, MAX_MESSAGE);
  if (depth >= MAX_FIELD_DEPTH) return `[${className(value)}]`;
  if (Array.isArray(value)) return value.slice(0, MAX_FIELD_COUNT).map((item) => lossyJson(item, depth + 1));
  const entries = keysOf(value).map((key) => [storableText(key), lossyJson(read(value, key), depth + 1)] as const);
  return Object.fromEntries(entries);
}

function keysOf(value: object): string[] {
  try {
    return Object.keys(value)
      .filter((key) => key !== '__proto__')
      .slice(0, MAX_FIELD_COUNT);
  } catch {
    return [];
  }
}

function read(from: unknown, key: string): unknown {
  try {
    return (from as Record<string, unknown>)[key];
  } catch (error) {
    return `[${key} cannot be read: ${error instanceof Error ? error.message : 'its getter throws'}]`;
  }
}

function className(value: object): string {
  const type = read(value, 'constructor');
  return typeof type === 'function' && type.name ? type.name : 'Object';
}

function inJson(value: object): string {
  return text(JSON.stringify(lossyJson(value, 0)), MAX_MESSAGE);
}

function text(value: unknown, max: number): string {
  return storableWithin(safeString(value), max);
}

/** Text as Postgres can store it, cut at `max` UTF-16 units. */
export function storableWithin(given: string, max: number): string {
  const whole = storableText(given);
  return whole.length <= max ? whole : storableText(`${whole.slice(0, max)}…`);
}

function safeString(value: unknown): string {
  try {
    return value instanceof Date ? value.toISOString() : String(value);
  } catch {
    return '[cannot be shown]';
  }
}
