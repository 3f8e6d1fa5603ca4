import { systemClock } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { pausePool, resumePool } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { findOverdueRuns, type OverdueLook } from '../src/reconciler/overdue-runs.ts';

const fleet = await testFleet();
const where = { ...fleet, clock: systemClock };

/** Queued for a while, in the order in which they are made. */
async function overdue(task: string, pool: string, runs: number): Promise<string[]> {
  await fleet.save({ name: task, pool, overlap: 'allow' });
  const ids: string[] = [];
  for (let made = 0; made < runs; made++) ids.push(await triggerTask(fleet.db, task, { by: by('test') }));
  await fleet.db.pool.query(
    `UPDATE run SET state = 'queued', dispatch = 1, due_at = now() - interval '1 h' + array_position($1, id) * interval '1 s'
     WHERE id = ANY ($1::uuid[])`,
    [ids],
  );
  return ids;
}

it('what is overdue behind the backlog of a paused pool is found a part at a time, and the backlog is left alone', async () => {
  await overdue('crowd', 'paused', 6);
  const behind = await overdue('other', 'served', 2);
  await fleet.db.pool.query(`UPDATE run SET due_at = due_at + interval '10 s' WHERE id = ANY ($1)`, [behind]);
  await pausePool(fleet.db, 'paused', null, by('test'));
  const found: string[][] = [];
  let look: OverdueLook = { limit: 10, lookAt: 2 };
  for (let pass = 0; pass < 4; pass++) {
    const seen = await findOverdueRuns(where, look);
    found.push(seen.gone.map(({ id }) => id));
    look = { ...look, behind: seen.behind };
  }
  // The oldest two, and two behind them: the third to sixth, then the others; then it begins anew.
  expect(found).toEqual([[], [], behind, []]);
});

it('without a paused pool the oldest are found at each look', async () => {
  await resumePool(fleet.db, 'paused', by('test'));
  const one = await findOverdueRuns(where, { limit: 3, lookAt: 3 });
  expect([one.gone.length, one.behind]).toEqual([3, undefined]);
  const all = await findOverdueRuns(where, { limit: 100, lookAt: 100 });
  expect(new Set(all.gone.map(({ id }) => id)).size).toBe(8);
  expect(all.gone.length).toBe(8);
});
