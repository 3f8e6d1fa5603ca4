import { describe, expect, test } from 'vitest';
import { admitJson, jsonOf, storableText, wellFormedText } from './json.ts';

describe('admitJson', () => {
  test('returns what JSON can hold', () => {
    const value = { a: [1, 'x', null, true, { b: '\u{1f570}' }] };
    expect(admitJson(value, 'payload')).toEqual(value);
  });

  const cycle: Record<string, unknown> = {};
  cycle.again = cycle;

  test.each([
    ['NUL', { a: ['\0'] }, 'json_nul', 'payload.a[0]'],
    ['half a surrogate pair', { a: '\ud800' }, 'json_lone_surrogate', 'payload.a'],
    ['a key that reaches a prototype', JSON.parse('{"__proto__": 1}'), 'json_forbidden_key', '__proto__'],
    ['a number JSON does not know', { a: Number.NaN }, 'not_json', 'payload.a is NaN'],
    ['an instance of a class', { a: new Map() }, 'not_json', 'a Map'],
    ['a cycle', cycle, 'json_too_deep', 'payload.again'],
    ['deep nesting', JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`), 'json_too_deep', 'payload[0]'],
    ['too many bytes', 'ä'.repeat(40_000), 'json_too_large', '80002 bytes'],
  ])('refuses %s and says where', (_, value, code, where) => {
    expect(() => admitJson(value, 'payload')).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(where) }),
    );
  });
});

test('wellFormedText replaces halves of surrogate pairs only', () => {
  expect(wellFormedText('a\0\ud83dä\u{1f570}\udd70')).toBe('a\0\ufffdä\u{1f570}\ufffd');
});

test('storableText replaces NUL and halves of surrogate pairs only', () => {
  expect(storableText('a\0\ud83dä\u{1f570}\udd70')).toBe('a\ufffd\ufffdä\u{1f570}\ufffd');
});

describe('jsonOf', () => {
  test('is what JSON.stringify makes of a value', () => {
    const value = { at: new Date(0), none: undefined, list: [undefined], big: 2 ** 60, own: { toJSON: () => 'x' } };
    expect(jsonOf(value, 'it')).toEqual({ at: '1970-01-01T00:00:00.000Z', list: [null], big: 2 ** 60, own: 'x' });
    expect(jsonOf(undefined, 'it')).toBeUndefined();
  });

  const cycle: Record<string, unknown> = {};
  cycle.again = cycle;
  let deep: unknown = 1;
  for (let level = 0; level < 10_000; level++) deep = [deep];

  test.each([
    ['NaN', { a: Number.NaN }, 'not_json', '"a" is NaN'],
    ['an infinite number', [Number.NEGATIVE_INFINITY], 'not_json', '"0" is -Infinity'],
    ['a date that is none', { at: new Date(Number.NaN) }, 'not_json', '"at" is no valid date'],
    ['a bigint', 2n ** 60n, 'not_json', 'it is the BigInt 1152921504606846976'],
    ['a map', { m: new Map([[1, 2]]) }, 'not_json', '"m" is a Map'],
    ['a cycle', cycle, 'not_json', 'circular'],
    ['10,000 levels', deep, 'json_too_deep', 'it'],
    ['NUL', { a: '\0' }, 'json_nul', 'it.a'],
    ['a key that reaches a prototype', JSON.parse('{"__proto__":{"x":1}}'), 'json_forbidden_key', '__proto__'],
  ])('refuses %s instead of changing it', (_, value, code, where) => {
    expect(() => jsonOf(value, 'it')).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(where) }),
    );
  });
});
