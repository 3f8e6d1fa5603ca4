import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDigests, countOf, type DurationDigest, quantileOf } from './digest.ts';

/** As `duration_bucket` in SQL does it. */
const bucketOf = (ms: number): number => (ms < 1 ? 0 : 1 + Math.floor(Math.log(ms) / Math.log(1.1)));

const digestOf = (durations: readonly number[]): DurationDigest =>
  addDigests(durations.map((ms) => ({ [bucketOf(ms)]: 1 })));

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

it('digests of parts add up to that of the whole', () => {
  fc.assert(
    fc.property(durations, durations, (some, others) => {
      expect(addDigests([digestOf(some), digestOf(others)])).toEqual(digestOf([...some, ...others]));
      expect(countOf(digestOf(some))).toBe(some.length);
    }),
  );
});

it('what took less than a millisecond took none, and of nothing there is no quantile', () => {
  expect(quantileOf({ 0: 3 }, 0.5)).toBe(0);
  expect(quantileOf({}, 0.5)).toBeNull();
});
