import { newRunId, type RunState } from '@escapement/core';
import { by, lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { openDatabase, type RerunRequest, rerunRuns } from '../src/index.ts';
import { deleteNow, MINUTE, makeTask, type QueuedFixture, queueRuns } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

const RERUN: RerunRequest = { sameVersion: false, once: false, action: 'rerun', by: by('ann') };

type Run = QueuedFixture & { name: string };

/** A run of a new task that failed; with what is another of it, as SQL. */
async function failed(name: string, other: Record<string, string> = {}, input = {}): Promise<Run> {
  const taskId = await makeTask(one, { name, ...input });
  const [run] = await queueRuns(one, [{ taskId, key: name, ageMs: MINUTE }]);
  if (!run) throw new Error('no fixture');
  const columns = { state: `'failed'`, reason: `'so'`, finished_at: 'now()', attempt: '1', ...other };
  const set = Object.entries(columns).map(([column, value]) => `${column} = ${value}`);
  await one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run.runId]);
  return { ...run, name };
}

interface Asked {
  rerunId?: string;
  version?: number;
}

/** The ids of the reruns that were made. */
async function rerun(run: Run, request: Partial<RerunRequest> = {}, asked: Asked = {}, db = one): Promise<string[]> {
  const { rerunId = newRunId(run.scheduledFor), version = 1 } = asked;
  const task = { name: run.name, version: 1, keyTemplate: run.name, onEveryWorker: false };
  const terms = { ownKey: false, taskVersion: 1, worker: null, payload: undefined, ...run, task, rerunId, version };
  return [...(await rerunRuns(db, [terms], { ...RERUN, ...request })).values()];
}

/** Ends a rerun. */
const end = (rerunId: string, state: RunState = 'failed') =>
  one.pool.query('UPDATE run SET state = $2, reason = $3, finished_at = now() WHERE id = $1', [rerunId, state, 'so']);

it('of a task under a rate is counted under the key that its payload has, else that of the task has', async () => {
  const rate = { limit: 1, perMs: MINUTE, key: 'api-{{payload.day}}' };
  const own = await failed('rated-own', { payload: `'{"day": 7}'` }, { rate, payload: { day: 1 } });
  const tasks = await failed('rated-task', { payload: 'NULL' }, { rate, payload: { day: 1 } });
  const none = await failed('not-rated');
  const made = [...(await rerun(own)), ...(await rerun(tasks)), ...(await rerun(none))];
  const { rows } = await one.pool.query<{ rate_key: string | null }>(
    'SELECT r.rate_key FROM unnest($1::uuid[]) WITH ORDINALITY AS m(id, ord) JOIN run r ON r.id = m.id ORDER BY m.ord',
    [made],
  );
  expect(rows.map((row) => row.rate_key)).toEqual(['api-7', 'api-1', null]);
});

it('is made of a run of its own namespace alone', async () => {
  const run = await failed('at-home');
  expect(await rerun(run, {}, {}, other)).toEqual([]);
  expect(await rerun(run)).toHaveLength(1);
});

it('does not wait for a run of another namespace that somebody has locked', async () => {
  const run = await failed('locked-abroad');
  const held = await lockRows(url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', [run.runId]);
  const answer = rerun(run, {}, {}, other);
  expect(await Promise.race([answer, held.awaited()])).toEqual([]);
  await held.release();
});

it('is not made of a run that has not ended', async () => {
  const taskId = await makeTask(one, { name: 'open' });
  const [run] = await queueRuns(one, [{ taskId, key: 'open', ageMs: MINUTE }]);
  if (!run) throw new Error('no fixture');
  expect(await rerun({ ...run, name: 'open' })).toEqual([]);
});

it('is not made of a stretch of occurrences', async () => {
  expect(await rerun(await failed('stretch', { state: `'missed'`, until_at: 'scheduled_for' }))).toEqual([]);
});

it('is not made of a task that was deleted', async () => {
  const run = await failed('deleted');
  await deleteNow(one, 'deleted', by('ann'));
  expect(await rerun(run)).toEqual([]);
});

it('with the present definition is made of the version that the caller saw alone; with that of then of any', async () => {
  const run = await failed('edited');
  expect(await rerun(run, {}, { version: 2 })).toEqual([]);
  const made = await rerun(run, { sameVersion: true }, { version: 2 });
  expect(made).toHaveLength(1);
  const { rows } = await one.pool.query('SELECT task_version FROM run WHERE id = $1', [made[0]]);
  expect(rows).toEqual([{ task_version: 2 }]);
});

it('of a task that runs on every worker is made of a run of one worker alone', async () => {
  const onWorker = await failed('on-worker', { need: `'shell@w'` });
  const onNone = await failed('on-none');
  await one.pool.query(`UPDATE task SET rules = rules || '{"runOn": true}' WHERE name LIKE 'on-%'`);
  expect(await rerun(onNone)).toEqual([]);
  const [made] = await rerun(onWorker);
  const { rows } = await one.pool.query('SELECT need FROM run WHERE id = $1', [made]);
  expect(rows).toEqual([{ need: 'shell@w' }]);
});

it('is not made while another has not ended', async () => {
  const run = await failed('twice');
  const [first = ''] = await rerun(run);
  expect(await rerun(run)).toEqual([]);
  await end(first);
  expect(await rerun(run)).toHaveLength(1);
});

it('is made once on request, whatever became of it', async () => {
  const run = await failed('once');
  const [first = ''] = await rerun(run, { once: true });
  await end(first, 'succeeded');
  expect(await rerun(run, { once: true })).toEqual([]);
  expect(await rerun(run)).toHaveLength(1);
});

it('under the same id is made once, also where it has ended', async () => {
  const run = await failed('same-id');
  const rerunId = newRunId(run.scheduledFor);
  expect(await rerun(run, {}, { rerunId })).toEqual([rerunId]);
  await end(rerunId);
  expect(await rerun(run, {}, { rerunId })).toEqual([]);
});

it('of one run says nothing of another, nor does one of another namespace', async () => {
  const [run, neighbour] = [await failed('beside'), await failed('neighbour')];
  const [made = ''] = await rerun(neighbour);
  expect(await rerun(run, { once: true })).toHaveLength(1);
  const third = await failed('third');
  await one.pool.query(`UPDATE run SET namespace = 'other', rerun_of = $2 WHERE id = $1`, [made, third.runId]);
  expect(await rerun(third, { once: true })).toHaveLength(1);
});

it('that somebody else is about to make is waited for, and not made again', async () => {
  const run = await failed('at-once');
  const held = await lockRows(
    url,
    `SELECT FROM rerun_runs($1, ARRAY[$2::uuid], ARRAY[$3::timestamptz], ARRAY[$4::uuid], ARRAY[1], ARRAY['k'], true, false, 'rerun',
       '{"kind": "cli", "id": "bob", "name": "bob"}')`,
    [one.namespace, run.runId, run.scheduledFor.toISOString(), newRunId(run.scheduledFor)],
  );
  const answer = rerun(run);
  await Promise.race([held.awaited(), answer]);
  await held.commit();
  expect(await answer).toEqual([]);
});

it('is told to who adds its job', async () => {
  const run = await failed('told');
  const client = await other.pool.connect();
  const heard: (string | undefined)[] = [];
  client.on('notification', ({ payload }) => heard.push(payload));
  await client.query('LISTEN escapement_wake');
  await rerun(run);
  await client.query('SELECT 1');
  expect(heard).toEqual([one.namespace]);
  await client.query('UNLISTEN escapement_wake');
  client.release();
});
