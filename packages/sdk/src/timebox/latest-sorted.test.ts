import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LatestSorted } from './latest-sorted.ts';

test('has no quantile before the first number', () => {
  expect(new LatestSorted(3).quantile(0.95)).toBeUndefined();
});

test('the quantile is the nearest rank of the latest numbers, whatever came before', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const numbers = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 12 }), share, (values, capacity, part) => {
      const latest = new LatestSorted(capacity);
      for (const value of values) latest.add(value);
      const sorted = values.slice(-capacity).sort((a, b) => a - b);
      expect(latest.quantile(part)).toBe(sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)]);
    }),
  );
});
