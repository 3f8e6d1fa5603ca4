import { codeNeed } from '@escapement/core';
import { by, lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openDatabase, placeCodeTasks, registerDeployment } from '../src/index.ts';
import { deleteNow, MINUTE, makeTask, type QueuedFixture, queueRuns } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

const SHOP = codeNeed('shop');

beforeEach(async () => {
  for (const table of ['run', 'task', 'deployment']) await one.pool.query(`TRUNCATE ${table} CASCADE`);
});

/** A deployment of an application with these tasks. */
const deployed = (app: string, tasks: readonly string[], db = one) =>
  registerDeployment(db, {
    app,
    release: null,
    fingerprint: app,
    whole: true,
    tasks: Object.fromEntries(tasks.map((name) => [name, 'print'])),
  });

const code = (name: string, db = one) => makeTask(db, { name, handler: { type: 'code', name } });

async function queued(taskId: string, key: string, ageMs = MINUTE, db = one): Promise<QueuedFixture> {
  const [run] = await queueRuns(db, [{ taskId, key, ageMs }]);
  if (!run) throw new Error('no fixture');
  return run;
}

async function needOf(table: 'task' | 'run', id: string): Promise<string | null> {
  const { rows } = await one.pool.query<{ need: string | null }>(`SELECT need FROM ${table} WHERE id = $1`, [id]);
  return rows[0]?.need ?? null;
}

const change = (run: QueuedFixture, set: string) => one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run.runId]);

const place = (deployment: string, all = false) => placeCodeTasks(one, deployment, { all });

it.each([
  ['without tasks', []],
  ['whose tasks nobody has saved', ['unknown']],
])('a deployment %s moves nothing, and says so once', async (_, tasks) => {
  await code('report');
  const { rows } = await one.pool.query('SELECT tasks, runs FROM place_code_tasks($1, $2::bigint, true)', [
    ...[one.namespace, await deployed('shop', tasks)],
  ]);
  expect(rows).toEqual([{ tasks: 0, runs: 0 }]);
});

it('tasks that are not in the deployment stay where they are', async () => {
  const [ours, theirs, nobodys] = [await code('ours'), await code('theirs'), await code('nobodys')];
  const shell = await makeTask(one, { name: 'shell' });
  await deployed('billing', ['theirs']);
  expect(await place(await deployed('shop', ['ours', 'shell']))).toEqual({ tasks: 1, runs: 0 });
  expect(await needOf('task', ours)).toBe(SHOP);
  expect([await needOf('task', theirs), await needOf('task', nobodys)]).toEqual(['code', 'code']);
  expect(await needOf('task', shell)).toBe('shell');
});

it('a task of another namespace stays where it is, as does one that was deleted', async () => {
  const abroad = await code('report', other);
  const gone = await code('gone');
  await deleteNow(one, 'gone', by('ann'));
  await deployed('away', ['report'], other);
  expect(await place(await deployed('shop', ['report', 'gone']))).toEqual({ tasks: 0, runs: 0 });
  expect([await needOf('task', abroad), await needOf('task', gone)]).toEqual(['code', 'code']);
});

it('of a deployment of another namespace nothing is moved', async () => {
  const taskId = await code('report');
  const abroad = await deployed('away', ['report'], other);
  await deployed('shop', ['report']);
  expect(await place(abroad, true)).toEqual({ tasks: 0, runs: 0 });
  expect(await needOf('task', taskId)).toBe('code');
});

it.each([
  ['code', SHOP],
  ['code.000000000000', SHOP],
  ['code@w', `${SHOP}@w`],
  ['code.000000000000@w', `${SHOP}@w`],
  ['shell', 'shell'],
  ['codes', 'codes'],
])('an open run that needs %s needs %s then', async (before, after) => {
  const run = await queued(await code('report'), 'report');
  await change(run, `need = '${before}'`);
  const moved = before === after ? 0 : 1;
  expect(await place(await deployed('shop', ['report']))).toEqual({ tasks: 1, runs: moved });
  const { rows } = await one.pool.query('SELECT need, dispatch FROM run');
  expect(rows).toEqual([{ need: after, dispatch: 1 + moved }]);
});

it.each(['planned', 'waiting', 'held', 'retrying'])(
  'a run that is %s goes along, and has no job that the next dispatch must replace',
  async (state) => {
    const run = await queued(await code('report'), 'report');
    await change(run, `state = '${state}', waiting_since = now()`);
    expect(await place(await deployed('shop', ['report']))).toEqual({ tasks: 1, runs: 1 });
    const { rows } = await one.pool.query('SELECT need, dispatch FROM run');
    expect(rows).toEqual([{ need: SHOP, dispatch: 1 }]);
  },
);

it('a run that has ended stays as it is, as does one of another namespace', async () => {
  const taskId = await code('report');
  const [ended, abroad] = [await queued(taskId, 'report'), await queued(taskId, 'report', 2 * MINUTE)];
  await change(ended, `state = 'failed', reason = 'so', finished_at = now()`);
  await change(abroad, `namespace = 'other'`);
  expect(await place(await deployed('shop', ['report']))).toEqual({ tasks: 1, runs: 0 });
  expect([await needOf('run', ended.runId), await needOf('run', abroad.runId)]).toEqual(['code', 'code']);
});

it('runs of other tasks stay where they are, also what is scheduled for the same instant', async () => {
  const [moves, stays] = [await code('moves'), await code('stays')];
  const [first, second] = [await queued(moves, 'moves'), await queued(stays, 'stays')];
  await one.pool.query('UPDATE run SET scheduled_for = $1', [first.scheduledFor]);
  expect(await place(await deployed('shop', ['moves']))).toEqual({ tasks: 1, runs: 1 });
  expect([await needOf('run', first.runId), await needOf('run', second.runId)]).toEqual([SHOP, 'code']);
});

it('runs of a task that is where it was are looked for on request alone', async () => {
  const shop = await deployed('shop', ['report', 'moves']);
  const taskId = await code('report');
  const run = await queued(taskId, 'report');
  await change(run, `need = 'code'`);
  const moves = await code('moves');
  await one.pool.query(`UPDATE task SET need = 'code' WHERE id = $1`, [moves]);
  expect(await place(shop)).toEqual({ tasks: 1, runs: 0 });
  expect(await needOf('run', run.runId)).toBe('code');
  expect(await place(shop, true)).toEqual({ tasks: 0, runs: 1 });
  expect(await needOf('run', run.runId)).toBe(SHOP);
});

it('a run that somebody has locked is not waited for, and stays behind', async () => {
  const taskId = await code('report');
  const [locked, free] = [await queued(taskId, 'report'), await queued(taskId, 'report', 2 * MINUTE)];
  const shop = await deployed('shop', ['report']);
  const held = await lockRows(url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', [locked.runId]);
  expect(await place(shop)).toEqual({ tasks: 1, runs: 1 });
  await held.release();
  expect([await needOf('run', locked.runId), await needOf('run', free.runId)]).toEqual(['code', SHOP]);
  expect(await place(shop, true)).toEqual({ tasks: 0, runs: 1 });
});
