import { EscapementError } from './errors.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Largest payload of a task or run, in bytes of UTF-8 JSON. */
export const MAX_PAYLOAD_BYTES = 64 * 1024;

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Admits a JSON value at the border, or throws naming the path of what is wrong: not JSON, a NUL
 * character (Postgres cannot store it in jsonb), a key that could reach a prototype, too large.
 */
export function admitJson(value: unknown, what: string, maxBytes = MAX_PAYLOAD_BYTES): Json {
  checkJson(value, what);
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > maxBytes)
    throw new EscapementError('json_too_large', `${what} is ${bytes} bytes of JSON`, {
      fix: `at most ${maxBytes} bytes; keep large data elsewhere and pass a reference`,
    });
  return value as Json;
}

function checkJson(value: unknown, path: string): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') return checkText(value, path);
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return;
    throw notJson(path, String(value));
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkJson(item, `${path}[${index}]`);
    return;
  }
  if (typeof value !== 'object' || !isPlain(value)) throw notJson(path, describe(value));
  for (const key of Object.keys(value)) {
    if (FORBIDDEN_KEYS.has(key))
      throw new EscapementError('json_forbidden_key', `${path} has the key "${key}"`, {
        fix: 'rename the key: it could reach an object prototype',
      });
    checkText(key, `${path} (a key)`);
    checkJson((value as Record<string, unknown>)[key], `${path}.${key}`);
  }
}

function checkText(text: string, path: string): void {
  if (text.includes('\0'))
    throw new EscapementError('json_nul', `${path} contains a NUL character (\\u0000)`, {
      fix: 'remove it: Postgres cannot store NUL in text',
    });
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function notJson(path: string, value: string): EscapementError {
  return new EscapementError('not_json', `${path} is ${value}, which JSON cannot hold`, {
    fix: 'use null, booleans, finite numbers, strings, arrays and plain objects',
  });
}

function describe(value: unknown): string {
  return typeof value === 'object' ? `a ${value?.constructor?.name ?? 'object'}` : `a ${typeof value}`;
}
