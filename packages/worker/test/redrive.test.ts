import type { Handler } from '@escapement/core';
import { askBulk, triggerTask } from '@escapement/operations';
import { readAnswer } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();

async function redrive() {
  const id = await askBulk(fleet.db, { action: 'redrive', task: 'import' }, by('test'));
  for (let pass = 0; pass < 2; pass++) await fleet.requests.runOnce();
  return await readAnswer(fleet.db, id);
}

it('dead letters of one key are run again one after the other, none is skipped', async () => {
  await fleet.save({ name: 'import', overlap: { policy: 'skip' } });
  let mended = false;
  let atOnce = 0;
  let most = 0;
  const seen: Date[] = [];
  const handler: Handler = async ({ run }) => {
    if (!mended) return { status: 'failed', error: { name: 'Error', message: 'the disk is full' } };
    seen.push(run.scheduledFor);
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce -= 1;
    return { status: 'succeeded' };
  };
  await fleet.startWorker(handler);
  const failed: Date[] = [];
  for (let count = 0; count < 5; count++) {
    const id = await triggerTask(fleet.db, 'import', { by: by('test') });
    const finished = fleet.event('run_finished', ({ run }) => run === id);
    await fleet.dispatcher.runOnce();
    expect(await finished).toMatchObject({ state: 'failed' });
    const row = (await fleet.runs('import')).find((each) => each.id === id);
    if (row) failed.push(row.scheduled_for);
  }

  mended = true;
  expect(await redrive()).toMatchObject({ answer: { done: 5 } });
  await fleet.dispatcher.runOnce();
  const states = async () =>
    (await fleet.runs('import')).filter(({ origin }) => origin === 'rerun').map((row) => row.state);
  await expect.poll(states, { timeout: 10_000 }).toEqual(Array(5).fill('succeeded'));
  // Each for the occurrence that had failed, in order.
  expect(seen).toEqual(failed);
  expect(most).toBe(1);
  expect(await redrive()).toMatchObject({ answer: { total: 0, done: 0 } });
});
