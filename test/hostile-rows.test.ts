import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { tryHostileRows } from './hostile/check.ts';

const fleet = await testFleet();

it('rows with hostile values, however they came into the tables, stop no task but their own', async () => {
  const { findings, spoiled } = await tryHostileRows(fleet, { count: 12, seed: 1 });
  expect(findings).toEqual([]);
  expect(spoiled).toBeGreaterThan(15);
});
