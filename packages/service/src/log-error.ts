import { EscapementError } from '@escapement/core';

/** What says where and why; no other field is written: an error of the Redis client has the command, and with it the password. */
const LOGGED = ['code', 'fix', 'detail', 'hint', 'table', 'constraint', 'syscall', 'address', 'port'] as const;

/** Causes of causes. */
const DEPTH = 5;

/** An error as a line of the log has it: type, message, stack, cause and what else is worth knowing. */
export function errorFields(error: unknown, depth = DEPTH): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const fields: Record<string, unknown> = { type: error.constructor.name || name, message };
  // One that a user can mend says all in its sentence.
  if (!(error instanceof EscapementError)) fields.stack = stack;
  for (const key of LOGGED) {
    const value: unknown = Reflect.get(error, key);
    if (typeof value === 'string' || typeof value === 'number') fields[key] = value;
  }
  if (depth === 0) return fields;
  if (cause !== undefined && !(error instanceof EscapementError)) fields.cause = errorFields(cause, depth - 1);
  if (error instanceof AggregateError)
    fields.aggregateErrors = error.errors.slice(0, DEPTH).map((each) => errorFields(each, depth - 1));
  return fields;
}
