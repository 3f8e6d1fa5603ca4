import { expect, it } from 'vitest';
import { checkHistories } from './histories/check.ts';

/** Of each fleet about nine of ten tasks have a row that can be spoiled. */
const FLEETS = 112;

it('the verification of the ledger raises no false alarm, and finds each row that was spoiled: 1,000 histories', {
  timeout: 7_200_000,
}, async () => {
  const checked = await checkHistories({ firstSeed: 1, fleets: FLEETS });
  expect(checked).toMatchObject({ alarms: [], unseen: [] });
  expect(checked.spoiled).toBeGreaterThanOrEqual(1000);
});
