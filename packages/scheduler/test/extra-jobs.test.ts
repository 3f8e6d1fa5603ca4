import { newRunId, systemClock } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();

/** Jobs of runs that are not in the ledger. */
async function addExtra(count: number): Promise<void> {
  const atMs = systemClock.now().getTime();
  await fleet.queue.add(
    Array.from({ length: count }, (_, index) => ({
      queue: 'unserved+shell',
      runId: newRunId(new Date(atMs + index)),
      dispatch: 1,
      delayMs: 0,
    })),
  );
}

it('takes all extra jobs out in one go, though they are more than a page, and leaves the one that is wanted', async () => {
  await fleet.save({ name: 'wanted', pool: 'unserved' });
  await addExtra(1300);
  const wanted = await triggerTask(fleet.db, 'wanted', { by: by('test') });
  await fleet.dispatcher.runOnce();
  await addExtra(1300);
  const reconciler = fleet.newReconciler();
  await fleet.reconcile(reconciler);
  while ((await reconciler.runOnce()) === 0);
  expect(await fleet.queue.present([{ queue: 'unserved+shell', runId: wanted, dispatch: 1 }])).toEqual([true]);
  const { waiting = 0, delayed = 0 } = (await fleet.queue.counts(['unserved+shell']))['unserved+shell'] ?? {};
  expect(waiting + delayed).toBe(1);
});
