import type { Handler } from '@escapement/core';
import { askBulk, triggerTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
const { db } = fleet;
const ANN = by('ann');

it('starts held runs in the order of tasks that was asked for, the oldest of each first', async () => {
  const ids: Record<string, string[]> = { before: [], between: [], behind: [] };
  for (const [name, ofTask] of Object.entries(ids)) {
    await fleet.save({ name });
    // Each with a key of its own: none waits for another one.
    for (let run = 0; run < 4; run++) ofTask.push(await triggerTask(db, name, { by: ANN, key: `${name}-${run}` }));
  }
  const all = Object.values(ids).flat();
  await db.pool.query(`UPDATE run SET state = 'held', reason = 'held', dispatch = 0 WHERE id = ANY ($1)`, [all]);
  await askBulk(db, { action: 'run_held', order: ['behind', 'before'] }, ANN);
  for (let pass = 0; pass < 2; pass++) await fleet.requests.runOnce();
  await fleet.dispatcher.runOnce();
  const started: string[] = [];
  const handler: Handler = async ({ run }) => {
    started.push(run.id);
    return { status: 'succeeded' };
  };
  await fleet.startWorker(handler, 'one-at-a-time', 1);
  await expect.poll(() => started.length, { timeout: 20_000 }).toBe(all.length);
  // Those of one instant go by their ids.
  expect(started).toEqual(['behind', 'before', 'between'].flatMap((name) => ids[name]?.toSorted()));
});
