import { triggerTask } from '@escapement/operations';
import { pausePool, resumePool } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
const RUNS = 40;

it('a pool that is paused with a backlog begins nothing, loses nothing, and goes on where it was', async () => {
  await fleet.save({ name: 'work', overlap: 'allow' });
  for (let made = 0; made < RUNS; made++) await triggerTask(fleet.db, 'work', { by: by('test') });
  await fleet.dispatcher.runOnce();
  await pausePool(fleet.db, 'default', null, by('test', 'disks'));
  // It learns of the pause with its first heartbeat, or by the first run that it wants to begin.
  let started = 0;
  const worker = await fleet.startWorker(async () => {
    started += 1;
    return { status: 'succeeded' };
  });
  for (let pass = 0; pass < 3; pass++) {
    await fleet.reconcile();
    await worker.heartbeat.runOnce();
  }
  expect(started).toBe(0);
  expect(new Set((await fleet.runs('work')).map(({ state }) => state))).toEqual(new Set(['queued']));
  const { waiting = 0, bundled = 0, active } = (await fleet.queue.counts(['default+shell']))['default+shell'] ?? {};
  expect({ waiting: waiting + bundled, active }).toEqual({ waiting: RUNS, active: 0 });

  await resumePool(fleet.db, 'default', by('test'));
  await worker.heartbeat.runOnce();
  await expect
    .poll(async () => (await fleet.runs('work')).filter(({ state }) => state === 'succeeded').length, {
      timeout: 20_000,
    })
    .toBe(RUNS);
  expect(started).toBe(RUNS);
});
