import { expect, it } from 'vitest';
import { checkHistories } from './histories/check.ts';

it('the verification of the ledger raises no false alarm, and finds each row that was spoiled: some histories', {
  timeout: 600_000,
}, async () => {
  const checked = await checkHistories({ firstSeed: 1, fleets: 3 });
  // The message says which, where a report shows no more of a failure than its first line.
  expect(checked.alarms, checked.alarms.join('; ')).toEqual([]);
  expect(checked.unseen, checked.unseen.join('; ')).toEqual([]);
  expect(checked.histories).toBe(30);
  expect(checked.spoiled).toBeGreaterThan(20);
});
