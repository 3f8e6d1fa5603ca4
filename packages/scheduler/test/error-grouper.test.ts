import { systemClock, type Verdict } from '@escapement/core';
import { failureGroups, resolveRun } from '@escapement/operations';
import { by, finishedRun, finishedRunOf } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createErrorGrouper } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
const grouper = createErrorGrouper({
  db: fleet.as.scheduler,
  onError(error) {
    throw error;
  },
});

const ended = (to: 'timed_out' | 'quarantined' | 'cancelled'): Verdict => ({
  ...{ to, reason: `it was ${to}`, lost: to === 'quarantined', uncounted: false },
});

/** Runs among the failures, and whether anybody has said which others failed alike. */
async function failures(): Promise<{ run_id: string; grouped: boolean }[]> {
  const { rows } = await db.pool.query(
    'SELECT run_id, fingerprint IS NOT NULL AS grouped FROM failure ORDER BY run_id',
  );
  return rows;
}

it('each run that fails for good is grouped once, however it failed; no other is', async () => {
  const failed = [
    await finishedRun(db, 'failing'),
    await finishedRun(db, 'slow', ended('timed_out')),
    await finishedRunOf(db, 'slow', ended('quarantined')),
  ];
  await finishedRunOf(db, 'slow', ended('cancelled'));
  await finishedRun(db, 'fine', { to: 'succeeded', reason: null, lost: false, uncounted: false });
  const expected = (grouped: boolean) => failed.toSorted().map((run_id) => ({ run_id, grouped }));
  expect(await failures()).toEqual(expected(false));
  await grouper.runOnce();
  expect(await failures()).toEqual(expected(true));
  await grouper.runOnce();
  expect(await failures()).toEqual(expected(true));
});

it('a run of which nobody knew what became of it is a failure once somebody says so', async () => {
  const lost = { to: 'unknown', reason: 'its worker vanished', lost: true, uncounted: true } as const;
  const id = await finishedRun(db, 'lost', lost);
  expect(await failures()).not.toContainEqual({ run_id: id, grouped: false });
  await resolveRun(db, id, 'failed', by('ann', 'I have looked'));
  expect(await failures()).toContainEqual({ run_id: id, grouped: false });
  await grouper.runOnce();
  const { groups } = await failureGroups(db, { since: new Date(0), task: 'lost' }, systemClock.now());
  expect(groups).toMatchObject([{ count: 1, lastRunId: id }]);
});
