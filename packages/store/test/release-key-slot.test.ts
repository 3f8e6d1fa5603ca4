import { newRunId } from '@escapement/core';
import { by, lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { type BegunRun, findRun, openDatabase, releaseKeySlot } from '../src/index.ts';
import { ago, begun, MINUTE, makeTask, queueRuns, stateOf } from './ledger.ts';

// The function release_key_slot, beside what key-release.test.ts says of it.
const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const alone = openDatabase({ url, applicationName: 'alone', connections: 1 });
afterAll(() => Promise.all([one.close(), alone.close()]));

const ANN = by('ann', 'hangs');

/** A run on the slot of its key. */
async function holder(name: string): Promise<BegunRun> {
  const taskId = await makeTask(one, { name });
  const [run] = await begun(one, await queueRuns(one, [{ taskId, key: name, ageMs: MINUTE }]));
  if (!run) throw new Error('not begun');
  return run;
}

const release = ({ key, fence, runId }: BegunRun, db = one) =>
  releaseKeySlot(db, { seen: { key, slot: 1, fence, runId }, by: ANN });

const set = (run: BegunRun, columns: string) => one.pool.query(`UPDATE run SET ${columns} WHERE id = $1`, [run.runId]);

it('who asked for the end of the run before is still the one who did', async () => {
  const run = await holder('asked');
  await set(run, `cancel_requested_at = now(), cancel_requested_by = 'bob', cancel_reason = 'first'`);
  expect(await release(run)).toMatchObject({ kind: 'released', cancelled: true });
  expect(await findRun(one, run.runId)).toMatchObject({ state: 'cancelled', cancelRequestedBy: 'bob' });
  const { rows } = await one.pool.query('SELECT cancel_reason FROM run WHERE id = $1', [run.runId]);
  expect(rows).toEqual([{ cancel_reason: 'first' }]);
});

it('a run of another key that is at work since the same instant is not asked to end', async () => {
  const [beside, run] = [await holder('instant-beside'), await holder('instant')];
  await one.pool.query('UPDATE run SET scheduled_for = $2 WHERE id = $1', [beside.runId, run.scheduledFor]);
  expect(await release(run)).toMatchObject({ kind: 'released', cancelled: true });
  const { rows } = await one.pool.query('SELECT state, cancel_requested_at AS asked FROM run WHERE id = $1', [
    beside.runId,
  ]);
  expect(rows).toEqual([{ state: 'running', asked: null }]);
});

it('a run that has another slot by now goes on', async () => {
  const run = await holder('moved');
  await set(run, 'slot = 2');
  expect(await release(run)).toMatchObject({ kind: 'released', cancelled: false });
  expect(await stateOf(one, run.runId)).toBe('running');
});

it('the slots of other keys and namespaces are left as they are', async () => {
  const [run, gone] = [await holder('emptied'), newRunId(ago(0))];
  await set(run, 'slot = NULL');
  await one.pool.query(
    `INSERT INTO key_slot (namespace, key, slot, fence, run_id, run_scheduled_for, since)
     VALUES ('default', 'emptied-not', 1, 1, $1, now(), now()), ('other', 'emptied', 1, 1, $1, now(), now())`,
    [gone],
  );
  expect(await release(run)).toMatchObject({ kind: 'released', cancelled: false });
  const { rows } = await one.pool.query(
    `SELECT namespace, key, run_id FROM key_slot WHERE key LIKE 'emptied%' ORDER BY namespace, key`,
  );
  expect(rows).toEqual([
    { namespace: 'default', key: 'emptied', run_id: null },
    { namespace: 'default', key: 'emptied-not', run_id: gone },
    { namespace: 'other', key: 'emptied', run_id: gone },
  ]);
});

it('a slot that has a higher fence by now is not released', async () => {
  const run = await holder('fenced');
  expect(await release({ ...run, fence: run.fence - 1n })).toEqual({ kind: 'changed' });
  expect(await stateOf(one, run.runId)).toBe('running');
});

it('it waits for who has the run locked, and sees what has become of it', async () => {
  const run = await holder('locked');
  const held = await lockRows(url, `UPDATE run SET state = 'retrying', due_at = now() + interval '1 h' WHERE id = $1`, [
    run.runId,
  ]);
  const answer = release(run);
  await held.awaited();
  await held.commit();
  expect(await answer).toMatchObject({ kind: 'released', cancelled: true });
  expect(await stateOf(one, run.runId)).toBe('cancelled');
});

it('workers are told', async () => {
  const run = await holder('told');
  await set(run, 'slot = NULL');
  const client = await alone.pool.connect();
  const heard: string[] = [];
  client.on('notification', ({ payload }) => heard.push(payload ?? ''));
  await client.query('LISTEN escapement_cancel');
  client.release();
  await release(run, alone);
  await alone.pool.query('UNLISTEN *');
  expect(heard).toEqual(['default']);
});
