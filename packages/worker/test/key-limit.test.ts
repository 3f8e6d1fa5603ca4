import { triggerTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
await fleet.startWorker(async ({ payload }) => {
  if (payload === 'fail') throw new Error('not yet');
  return { status: 'succeeded' };
});

async function trigger(payload: string) {
  const ended = Promise.race([fleet.event('run_finished'), fleet.event('run_not_started')]);
  await triggerTask(fleet.db, 'two-slots', { by: by('ann'), payload });
  await fleet.dispatcher.runOnce();
  return await ended;
}

it('runs on the free slot of a key while a run between its attempts keeps the other (I6)', async () => {
  const retry = { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: 3_600_000 } } as const;
  await fleet.save({ name: 'two-slots', limit: 2, retry });
  expect(await trigger('fail')).toMatchObject({ state: 'retrying' });
  expect(await trigger('work')).toMatchObject({ state: 'succeeded' });
  expect(await trigger('fail')).toMatchObject({ state: 'retrying' });
  expect(await trigger('work')).toMatchObject({ state: 'skipped' });
});
