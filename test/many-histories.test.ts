import { expect, it } from 'vitest';
import { checkHistories } from './histories/check.ts';

/** Of ten tasks each, of which most have something that can be spoiled; two at a time. `HISTORIES=108`: more than 1,000 of both, in ten minutes. */
const FLEETS = Number(process.env.HISTORIES ?? 36);
const HALF = Math.ceil(FLEETS / 2);

it(`the verification of the ledger raises no false alarm in ${20 * HALF} histories, and finds each one that was spoiled`, {
  timeout: 3_600_000,
}, async () => {
  const halves = await Promise.all([1, 1 + HALF].map((firstSeed) => checkHistories({ firstSeed, fleets: HALF })));
  const alarms = halves.flatMap((half) => half.alarms);
  const unseen = halves.flatMap((half) => half.unseen);
  // The message says which, where a report shows no more of a failure than its first line.
  expect(alarms, alarms.join('; ')).toEqual([]);
  expect(unseen, unseen.join('; ')).toEqual([]);
  const sum = (of: 'histories' | 'spoiled') => halves.reduce((all, half) => all + half[of], 0);
  expect(sum('histories')).toBe(20 * HALF);
  expect(sum('spoiled')).toBeGreaterThanOrEqual(18 * HALF);
});
