import { expect, it } from 'vitest';
import { checkHistories } from './histories/check.ts';

/** Of ten tasks each, of which most have something that can be spoiled; two at a time. */
const FLEETS = 108;
const HALF = FLEETS / 2;

it('the verification of the ledger raises no false alarm in 1,000 histories, and finds each of 1,000 that were spoiled', {
  timeout: 3_600_000,
}, async () => {
  const halves = await Promise.all([1, 1 + HALF].map((firstSeed) => checkHistories({ firstSeed, fleets: HALF })));
  const alarms = halves.flatMap((half) => half.alarms);
  const unseen = halves.flatMap((half) => half.unseen);
  // The message says which, where a report shows no more of a failure than its first line.
  expect(alarms, alarms.join('; ')).toEqual([]);
  expect(unseen, unseen.join('; ')).toEqual([]);
  const sum = (of: 'histories' | 'spoiled') => halves.reduce((all, half) => all + half[of], 0);
  expect(sum('histories')).toBe(10 * FLEETS);
  expect(sum('spoiled')).toBeGreaterThanOrEqual(1000);
});
