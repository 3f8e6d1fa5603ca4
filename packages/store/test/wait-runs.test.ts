import { afterAll, expect, it } from 'vitest';
import { waitRuns } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

async function aRun(name: string, key = name): Promise<QueuedFixture> {
  const taskId = await makeTask(one, { name, key, overlap: 'wait-one' });
  const [run] = await queueRuns(one, [{ taskId, key, ageMs: 2 * MINUTE }]);
  if (!run) throw new Error('no fixture');
  return run;
}

/** The run is at work on the slot of its key. */
async function holds(run: QueuedFixture): Promise<void> {
  await one.pool.query(
    `UPDATE run SET state = 'running', attempt = 1, fence = 1, worker = 'w', started_at = now(), slot = 1 WHERE id = $1`,
    [run.runId],
  );
  await one.pool.query(
    `INSERT INTO key_slot (namespace, key, slot, fence, run_id, run_scheduled_for, worker, since)
     SELECT namespace, key, 1, 1, id, scheduled_for, worker, now() FROM run WHERE id = $1`,
    [run.runId],
  );
}

const requestOf = (run: QueuedFixture) => ({ ...run, seen: { state: 'queued', dispatch: run.dispatch, attempt: 0 } });

it('each of several is answered in its place: it waits, ends for a reason of its own, is free or is stale', async () => {
  const holder = await aRun('holder', 'busy');
  await holds(holder);
  const [paused, waits, deleted, free, gone] = [
    await aRun('paused'),
    await aRun('waits', 'busy'),
    await aRun('deleted'),
    await aRun('free'),
    await aRun('gone'),
  ];
  await one.pool.query(`UPDATE task SET deleted_at = now() WHERE name = 'deleted'`);
  await one.pool.query(
    `INSERT INTO task_pause (task_id, from_at, note, created_by) SELECT id, now() - interval '1 h', 'deploy', 'ann' FROM task WHERE name = 'paused'`,
  );
  await one.pool.query(`UPDATE run SET state = 'cancelled', reason = 'x', finished_at = now() WHERE id = $1`, [
    gone.runId,
  ]);
  const batch = [gone, paused, waits, deleted, free].map(requestOf);
  const answers = [
    { kind: 'stale' },
    { kind: 'refused', end: { kind: 'ended', state: 'skipped', reason: 'paused: deploy' } },
    { kind: 'waiting', holder: holder.runId },
    { kind: 'refused', end: { kind: 'ended', state: 'cancelled' } },
    { kind: 'free' },
  ];
  expect(await waitRuns({ ...one, namespace: 'other' }, batch)).toEqual(batch.map(() => ({ kind: 'stale' })));
  expect(await waitRuns(one, batch)).toMatchObject(answers);
});

it('one alone that ends is told with its reason', async () => {
  const run = await aRun('alone');
  await one.pool.query(`UPDATE task SET deleted_at = now() WHERE name = 'alone'`);
  expect(await waitRuns(one, [requestOf(run)])).toMatchObject([{ kind: 'refused', end: { state: 'cancelled' } }]);
});
