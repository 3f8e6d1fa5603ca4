import { expect, it } from 'vitest';
import { checkHistories } from './histories/check.ts';

it('the verification of the ledger raises no false alarm, and finds each row that was spoiled: some histories', {
  timeout: 600_000,
}, async () => {
  const checked = await checkHistories({ firstSeed: 1, fleets: 3 });
  expect(checked).toMatchObject({ histories: 30, alarms: [], unseen: [] });
  expect(checked.spoiled).toBeGreaterThan(20);
});
