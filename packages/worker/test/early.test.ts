import type { Handler } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
let handler: Handler = async () => ({ status: 'succeeded' });
await fleet.startWorker((context) => handler(context));

it('asks who is in the way of a run when it is due, not when its job comes', async () => {
  let release: () => void = () => undefined;
  handler = () =>
    new Promise((resolve) => {
      release = () => resolve({ status: 'succeeded' });
    });
  await fleet.save({ name: 'early' });
  const started = fleet.event('run_started');
  await triggerTask(fleet.db, 'early', { by: by('ann') });
  await fleet.dispatcher.runOnce();
  await started;
  const runId = await triggerTask(fleet.db, 'early', { by: by('ann') });
  await fleet.db.pool.query(`UPDATE run SET due_at = now() + interval '1800 ms' WHERE id = $1`, [runId]);
  const finished = fleet.event('run_finished');
  await fleet.queue.add([{ queue: 'default+shell', runId, dispatch: 1, delayMs: 0 }]);
  release();
  await finished;
  handler = async () => ({ status: 'succeeded' });
  const [, row] = await Promise.all([
    fleet.event('run_finished', ({ run }) => run === runId),
    fleet.event('run_started', ({ run }) => run === runId),
  ]);
  expect(row.latenessMs).toBeGreaterThanOrEqual(0);
});
