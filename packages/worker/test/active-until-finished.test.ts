import { triggerTask } from '@escapement/operations';
import { by, lockRows } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();

async function listed(worker: string): Promise<string[]> {
  const { rows } = await fleet.db.pool.query<{ active_runs: string[] }>(
    'SELECT active_runs FROM process WHERE id = $1',
    [worker],
  );
  return rows[0]?.active_runs ?? [];
}

it('a heartbeat lists a run whose handler has returned until its finish is in the ledger', async () => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const worker = await fleet.startWorker(async () => {
    await ended;
    return { status: 'succeeded' };
  }, 'finishing');
  await fleet.save({ name: 'slow-finish' });
  const started = fleet.event('run_started');
  const finished = fleet.event('run_finished');
  const id = await triggerTask(fleet.db, 'slow-finish', { by: by('test') });
  await fleet.dispatcher.runOnce();
  await started;
  const held = await lockRows(fleet.db.url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', [id]);
  end();
  await held.awaited();
  await worker.heartbeat.runOnce();
  expect(await listed('finishing')).toEqual([id]);
  await held.release();
  expect(await finished).toMatchObject({ run: id, state: 'succeeded' });
  await expect.poll(() => worker.active).toBe(0);
  await worker.heartbeat.runOnce();
  expect(await listed('finishing')).toEqual([]);
});
