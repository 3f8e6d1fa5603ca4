import { expect, test } from 'vitest';
import { typedJson } from './typed-json.ts';

test.each([
  '9007199254740992',
  '[9007199254740991, 1e21, 0.1]',
  '{"9007199254740993":"9007199254740993"}',
  '100000000000000000000000',
])('%s is taken as it is typed', (text) => expect(typedJson(text)).toEqual(JSON.parse(text)));

test.each(['9007199254740993', '[1, -9007199254740993]', '{"a\\"":12345678901234567890}', '1e400'])(
  '%s has a number that the browser would change',
  (text) => expect(() => typedJson(text)).toThrow(/would become/),
);

test('what is no JSON is none', () => {
  expect(() => typedJson('{a: 1}')).toThrow(SyntaxError);
});
