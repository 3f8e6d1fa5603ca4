import { expect, it } from 'vitest';
import { createLatest } from './latest.ts';

it('remembers the last so many, each with its last value', () => {
  const latest = createLatest<string, number>(2);
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
  ] as const)
    latest.set(key, value);
  expect(['a', 'b', 'c'].map(latest.get)).toEqual([1, 2, undefined]);
  // Another one, and it is longest ago that b was set.
  for (const [key, value] of [
    ['a', 3],
    ['c', 4],
  ] as const)
    latest.set(key, value);
  expect(['a', 'b', 'c'].map(latest.get)).toEqual([3, undefined, 4]);
});
