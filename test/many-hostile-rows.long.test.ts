import { testFleet } from '@escapement/testkit/fleet';
import { fuzzOptions } from '@escapement/testkit/fuzz';
import { expect, it } from 'vitest';
import { tryHostileRows } from './hostile/check.ts';

const fleet = await testFleet();

it('many rows with hostile values, in any column, stop no task but their own', { timeout: 3_600_000 }, async () => {
  const { inputs, seed } = fuzzOptions(process.env);
  const { findings, spoiled } = await tryHostileRows(fleet, { count: inputs, seed });
  expect(findings).toEqual([]);
  expect(spoiled).toBeGreaterThan(inputs / 2);
});
