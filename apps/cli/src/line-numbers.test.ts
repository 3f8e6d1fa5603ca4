import { expect, it } from 'vitest';
import { readLines } from './line-numbers.ts';

it.each([
  ['3', [3]],
  ['9,3, 7-8', [3, 7, 8, 9]],
  ['2-2,2', [2]],
])('%s are the lines %j', (text, lines) => {
  expect(readLines(text)).toEqual(lines);
});

it.each(['', '0', '-1', '5-3', '1,,2', 'a', '1-', '1.5', '1-100001', '99999999999999999999'])(
  '"%s" is refused',
  (text) => {
    expect(() => readLines(text)).toThrow('--lines has');
  },
);
