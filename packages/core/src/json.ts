import { EscapementError } from './errors.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Deepest nesting admitted; deeper JSON would exhaust the stack here or in Postgres. */
const MAX_DEPTH = 100;

/** Largest payload of a task or run, in bytes of UTF-8 JSON. */
export const MAX_PAYLOAD_BYTES = 64 * 1024;

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Admits a JSON value at the border, or throws naming the path of what is wrong: not JSON, a NUL
 * character or half a surrogate pair (Postgres cannot store them in jsonb), a key that could reach
 * a prototype, too deep (a cycle is), too large.
 */
export function admitJson(value: unknown, what: string, maxBytes = MAX_PAYLOAD_BYTES): Json {
  checkJson(value, what, MAX_DEPTH);
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > maxBytes)
    throw new EscapementError('json_too_large', `${what} is ${bytes} bytes of JSON`, {
      fix: `at most ${maxBytes} bytes; keep large data elsewhere and pass a reference`,
    });
  return value as Json;
}

/**
 * The JSON of a value of a program, as `JSON.stringify` has it: dates become text, undefined fields are left out. Undefined where there is
 * nothing to write. Throws as `admitJson`, and `not_json` for what would change in silence or cannot be written: NaN, infinite numbers, dates
 * that are none, bigints, maps, sets, cycles.
 */
export function jsonOf(value: unknown, what: string, maxBytes = MAX_PAYLOAD_BYTES): Json | undefined {
  const text = textOf(value, what);
  return text === undefined ? undefined : admitJson(JSON.parse(text), what, maxBytes);
}

function textOf(value: unknown, what: string): string | undefined {
  try {
    return JSON.stringify(value, function (this: unknown, key: string, shown: unknown) {
      // A date has become text before it is seen here.
      const changed = whatChanges(Reflect.get(Object(this), key));
      if (changed !== undefined)
        throw unwritable(what, `${key === '' ? 'it' : `"${key.slice(0, 200)}"`} is ${changed}`);
      return shown;
    });
  } catch (thrown) {
    if (thrown instanceof EscapementError) throw thrown;
    if (thrown instanceof RangeError) throw tooDeep(what);
    throw unwritable(what, thrown instanceof Error ? thrown.message : String(thrown), thrown);
  }
}

/** In words, what `JSON.stringify` would make null, an empty object, or an error. */
function whatChanges(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Date && Number.isNaN(value.getTime())) return 'no valid date';
  if (typeof value === 'bigint') return `the BigInt ${value}`;
  return value instanceof Map || value instanceof Set ? describe(value) : undefined;
}

function unwritable(what: string, why: string, cause?: unknown): EscapementError {
  return new EscapementError('not_json', `${what} cannot be written as JSON: ${why}`, {
    fix: 'use null, booleans, finite numbers, strings, arrays and plain objects; give large numbers as text',
    cause,
  });
}

function checkJson(value: unknown, path: string, depthLeft: number): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') return checkText(value, path);
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return;
    throw notJson(path, String(value));
  }
  if (depthLeft === 0) throw tooDeep(path);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkJson(item, `${path}[${index}]`, depthLeft - 1);
    return;
  }
  if (typeof value !== 'object' || !isPlain(value)) throw notJson(path, describe(value));
  for (const key of Object.keys(value)) {
    if (FORBIDDEN_KEYS.has(key)) throw forbiddenKey(path, key);
    checkText(key, `${path} (a key)`);
    checkJson((value as Record<string, unknown>)[key], `${path}.${key}`, depthLeft - 1);
  }
}

/**
 * Throws `json_forbidden_key` for a key that could reach a prototype, anywhere in a value that is to be parsed: a parser would
 * drop it in silence.
 */
export function refuseForbiddenKeys(value: unknown, path: string, depthLeft = MAX_DEPTH): void {
  if (typeof value !== 'object' || value === null || depthLeft === 0) return;
  for (const [key, inner] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.has(key)) throw forbiddenKey(path, key);
    refuseForbiddenKeys(inner, `${path}.${key}`, depthLeft - 1);
  }
}

function forbiddenKey(path: string, key: string): EscapementError {
  return new EscapementError('json_forbidden_key', `${path} has the key "${key}"`, {
    fix: 'rename the key: it could reach an object prototype',
  });
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const UNSTORABLE = /\0|\p{Surrogate}/gu;

/** Whether Postgres can store a text as it is. */
export function isStorable(text: string): boolean {
  return storableText(text) === text;
}

/** Text as Postgres can store it: NUL and halves of surrogate pairs become U+FFFD. */
export function storableText(text: string): string {
  return text.replace(UNSTORABLE, '\ufffd');
}

/** Text in which halves of surrogate pairs have become U+FFFD: in JSON Postgres refuses them. */
export function wellFormedText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function checkText(text: string, path: string): void {
  if (text.includes('\0'))
    throw new EscapementError('json_nul', `${path} contains a NUL character (\\u0000)`, {
      fix: 'remove it: Postgres cannot store NUL in text',
    });
  if (LONE_SURROGATE.test(text))
    throw new EscapementError('json_lone_surrogate', `${path} contains half a surrogate pair`, {
      fix: 'cut text between characters, not inside one: Postgres cannot store half of one',
    });
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function tooDeep(path: string): EscapementError {
  return new EscapementError('json_too_deep', `${path.slice(0, 200)}… is nested too deep, or in itself`, {
    fix: `at most ${MAX_DEPTH} levels`,
  });
}

function notJson(path: string, value: string): EscapementError {
  return new EscapementError('not_json', `${path} is ${value}, which JSON cannot hold`, {
    fix: 'use null, booleans, finite numbers, strings, arrays and plain objects',
  });
}

function describe(value: unknown): string {
  return typeof value === 'object' ? `a ${value?.constructor?.name ?? 'object'}` : `a ${typeof value}`;
}

/** What is said of text that is none, and what helps. */
export const NOT_UTF8 = 'it is not UTF-8: write the file anew as UTF-8 (iconv -f latin1 -t utf8)';
