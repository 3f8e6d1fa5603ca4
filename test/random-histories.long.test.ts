import { fuzzOptions } from '@escapement/testkit/fuzz';
import { expect, it } from 'vitest';
import { checkHistories } from './histories/check.ts';

/** Histories in a fleet: of its tasks one each. */
const TASKS = 10;
const { inputs, seed } = fuzzOptions({ FUZZ_INPUTS: '300', ...process.env });
/** As many fleets in each half: two are at work at a time. */
const half = Math.ceil(inputs / TASKS / 2);

it('the verification of the ledger raises no false alarm, and finds each row that was spoiled, in histories that chance makes', {
  timeout: 3_600_000,
}, async () => {
  const halves = await Promise.all([seed, seed + half].map((firstSeed) => checkHistories({ firstSeed, fleets: half })));
  const alarms = halves.flatMap((each) => each.alarms);
  const unseen = halves.flatMap((each) => each.unseen);
  // The message says which, where a report shows no more of a failure than its first line.
  expect(alarms, alarms.join('; ')).toEqual([]);
  expect(unseen, unseen.join('; ')).toEqual([]);
  const sum = (of: 'histories' | 'spoiled') => halves.reduce((all, each) => all + each[of], 0);
  expect(sum('histories')).toBe(TASKS * 2 * half);
  // Most have something that can be spoiled.
  expect(sum('spoiled')).toBeGreaterThan(0.8 * sum('histories'));
});
