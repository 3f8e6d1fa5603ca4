import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLookPace } from './look-pace.ts';

test('short looks begin four times a second', () => {
  const waitAfter = createLookPace();
  for (const tookMs of [5, 20, 40]) expect(tookMs + waitAfter(tookMs)).toBe(250);
});

test('a look that takes longer now and then does not put the next one off by as much', () => {
  const waitAfter = createLookPace();
  for (const tookMs of [20, 20, 20]) waitAfter(tookMs);
  expect(waitAfter(100)).toBeCloseTo(160);
});

test('however long looks take, they take a fifth of the time at most, and the next comes within five seconds', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 8, maxLength: 40 }), (looks) => {
      const waitAfter = createLookPace();
      const waits = looks.map(waitAfter);
      const sum = (list: readonly number[]) => list.reduce((one, other) => one + other, 0);
      expect(Math.max(...waits)).toBeLessThanOrEqual(5000);
      // Whoever waits after a look has looked for as long as the last four say: over all of them that evens out.
      expect(sum(looks.slice(0, -3))).toBeLessThanOrEqual(0.2 * (sum(looks) + sum(waits)) + 1);
    }),
  );
});
