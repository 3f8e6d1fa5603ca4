import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isKeptNumber, parseJson } from './parse-json.ts';

test('what a program writes as JSON is read as it is (property)', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      expect(parseJson(text, 'it')).toEqual(JSON.parse(text));
    }),
  );
});

test('each number that a double can be is kept (property)', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(isKeptNumber(JSON.stringify(number))).toBe(true);
    }),
  );
});

test('a whole number is kept if and only if it comes back with the same digits (property)', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 69n), max: 2n ** 69n }), (number) => {
      const written = String(number);
      expect(isKeptNumber(written)).toBe(JSON.stringify(Number(number)) === written);
    }),
  );
});

test.each([
  '9007199254740991',
  '-9007199254740992',
  '9007199254740994',
  '1e21',
  '1E+23',
  '1.5e300',
  '0',
  '-0',
  '0.0',
  '0e999',
  '0.1',
  '3.14159265358979323846',
  '1000e-3',
  '4e-324',
])('%s is kept', (number) => expect(isKeptNumber(number)).toBe(true));

test.each([
  '9007199254740993',
  '-9007199254740993',
  '1152921504606846976',
  '9007199254740992.5',
  '1e400',
  '-1e309',
  '1e-400',
  '12345678901234567890',
])('%s would change, and is refused wherever it stands', (number) => {
  expect(isKeptNumber(number)).toBe(false);
  for (const text of [number, `[1, ${number}]`, `{"a":{"b":${number}}}`, `{"\\\\\\"":${number}}`, ` ${number}\n`])
    expect(() => parseJson(text, '--payload')).toThrow(
      expect.objectContaining({
        code: 'json_number',
        message: expect.stringContaining(`--payload has the number ${number.replace(/^-/, '')}`),
      }),
    );
});

test('digits in text are text', () => {
  for (const value of ['9007199254740993', '\\"9007199254740993', '\\\\', '[['.repeat(500)])
    expect(parseJson(JSON.stringify({ [value]: value }), 'it')).toEqual({ [value]: value });
});

test('10,000 levels are refused, whatever opens them, and not by the end of the stack', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const)
    expect(() => parseJson(`${open.repeat(10_000)}1${close.repeat(10_000)}`, 'the body')).toThrow(
      expect.objectContaining({ code: 'json_too_deep', message: 'the body is nested more than 200 levels deep' }),
    );
});

test.each(['', '{', '01', '"a', '[1,]', 'NaN', '"\\'])('%j is no JSON', (text) => {
  expect(() => parseJson(text, 'it')).toThrow(SyntaxError);
});

test('a megabyte of any kind is read within a moment', () => {
  for (const text of ['"'.concat('\\\\'.repeat(500_000), '"'), `[${'1,'.repeat(300_000)}1]`, `"${'a'.repeat(1e6)}"`])
    expect(() => parseJson(text, 'it')).not.toThrow();
});
