import { expect, test } from 'vitest';
import { createPassDelays } from './pass-on.ts';

test('a run is passed on at once, and the later the more often it comes back; less than a second', () => {
  const delays = createPassDelays();
  expect(Array.from({ length: 9 }, () => delays('run-1'))).toEqual([0, 25, 50, 100, 200, 400, 800, 900, 900]);
  expect(delays('run-2')).toBe(0);
});

test('what was passed on long ago is forgotten', () => {
  const delays = createPassDelays();
  delays('old');
  for (let run = 0; run < 1000; run++) delays(`run-${run}`);
  expect(delays('old')).toBe(0);
  expect(delays('run-999')).toBe(25);
});
