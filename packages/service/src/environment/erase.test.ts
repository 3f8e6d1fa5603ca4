import { expect, test } from 'vitest';
import { environmentBounds } from './erase.ts';

const zeros = (count: number) => Array(count).fill('0').join(' ');

test('the bounds are found whatever a process is called', () => {
  expect(environmentBounds(`7 (a) b (c) S ${zeros(46)} 100 230 0`)).toEqual([100, 230]);
});

test('a kernel that does not tell them is an error', () => {
  expect(() => environmentBounds(`7 (node) S ${zeros(50)}`)).toThrow('does not say where');
});
