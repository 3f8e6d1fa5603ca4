import { expect, it } from 'vitest';
import { createLatest } from './latest.ts';

it('remembers the last so many, each once', () => {
  const latest = createLatest<string>(2);
  for (const value of ['a', 'b']) latest.add(value);
  expect(['a', 'b', 'c'].map(latest.has)).toEqual([true, true, false]);
  // Another one, and it is longest ago that b was added.
  for (const value of ['a', 'c']) latest.add(value);
  expect(['a', 'b', 'c'].map(latest.has)).toEqual([true, false, true]);
});
