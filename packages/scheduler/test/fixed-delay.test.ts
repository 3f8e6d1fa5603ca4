import { systemClock } from '@escapement/core';
import { pauseTask } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet, wasDue } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
const fixedDelay = { kind: 'fixed-delay', delayMs: 120_000 } as const;

async function nextRunOf(task: string): Promise<Date | null | undefined> {
  const { rows } = await fleet.db.pool.query<{ next_run_at: Date | null }>(
    'SELECT next_run_at FROM task JOIN task_plan ON task_id = id WHERE name = $1',
    [task],
  );
  return rows[0]?.next_run_at;
}

it('goes on after an occurrence that a pause skipped', async () => {
  await fleet.save({ name: 'paused', schedule: fixedDelay });
  await pauseTask(fleet.db, { name: 'paused', untilAt: null, by: by('ann') });
  await fleet.db.pool.query(`UPDATE task_pause SET from_at = from_at - interval '1 minute'`);
  await wasDue(fleet.db, 'paused', 1000);
  await fleet.planner.runOnce();
  expect(await fleet.runs('paused')).toMatchObject([{ state: 'skipped', reason: 'paused' }]);
  expect((await nextRunOf('paused'))?.getTime()).toBeGreaterThan(systemClock.now().getTime());
});

it('keeps to the end of its schedule, at the first run and at the next', async () => {
  const endAt = new Date(systemClock.now().getTime() + 60_000).toISOString();
  await fleet.save({ name: 'ends', schedule: { ...fixedDelay, endAt } });
  expect(await nextRunOf('ends')).toBeNull();
  await fleet.save({ name: 'ended', schedule: { ...fixedDelay, endAt: new Date(0).toISOString() } });
  await wasDue(fleet.db, 'ended', 100);
  await fleet.planner.runOnce();
  expect(await fleet.runs('ended')).toEqual([]);
  expect(await nextRunOf('ended')).toBeNull();
});
