import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type DurationDigest, quantileOf } from './digest.ts';

/** As `duration_bucket` in SQL does it. */
const bucketOf = (ms: number): number => (ms < 1 ? 0 : 1 + Math.floor(Math.log(ms) / Math.log(1.1)));

function digestOf(durations: readonly number[]): DurationDigest {
  const digest: Record<string, number> = {};
  for (const bucket of durations.map(bucketOf)) digest[bucket] = (digest[bucket] ?? 0) + 1;
  return digest;
}

const durations = fc.array(fc.double({ min: 1, max: 30 * 86_400_000, noNaN: true }), { minLength: 1, maxLength: 200 });

it('a quantile is at most 5 % off', () => {
  fc.assert(
    fc.property(durations, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
      const sorted = all.toSorted((a, b) => a - b);
      const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
      const found = quantileOf(digestOf(all), share) ?? Number.NaN;
      expect(Math.abs(found - exact) / exact).toBeLessThan(0.05);
    }),
  );
});

it('what took less than a millisecond took none, and of nothing there is no quantile', () => {
  expect(quantileOf({ 0: 3 }, 0.5)).toBe(0);
  expect(quantileOf({}, 0.5)).toBeNull();
});
