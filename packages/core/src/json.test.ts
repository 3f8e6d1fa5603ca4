import { describe, expect, test } from 'vitest';
import { admitJson, storableText, wellFormedText } from './json.ts';

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
