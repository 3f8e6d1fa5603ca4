import { newRunId } from '@escapement/core';
import { by, testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { keyRuns, listKeySlots, openDatabase } from '../src/index.ts';
import { ago, deleteNow, MINUTE, makeTask } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

const taskId = await makeTask(one, { name: 'a' });
const theirTask = await makeTask(other, { name: 'a' });

beforeEach(() => one.pool.query('DELETE FROM run'));
beforeEach(() => one.pool.query('DELETE FROM key_slot'));

const AT_WORK = `state = 'running', attempt = 1, fence = 5, worker = 'w', started_at = due_at`;
const WAITS = `state = 'waiting', waiting_since = now()`;

/** A run of a key, so many minutes old. `set`: what else is true of it. */
async function aRun(key: string, set: string, { db = one, minutes = 5 } = {}): Promise<string> {
  const at = ago(minutes * MINUTE);
  const id = newRunId(at);
  await one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at)
     VALUES ($1, $2, $3, $4, 1, 1, 'trigger', 'queued', $5, 1, 'wait-all', 'default', $2)`,
    [id, at, db.namespace, db === other ? theirTask : taskId, key],
  );
  await one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [id]);
  return id;
}

/** A slot of a key, free by default. */
async function aSlot(
  key: string,
  { slot = 1, runId, db = one }: { slot?: number; runId?: string; db?: typeof one } = {},
) {
  await one.pool.query(
    `INSERT INTO key_slot (namespace, key, slot, fence, run_id, run_scheduled_for, worker, since)
     SELECT $1, $2, $3, 5, $4::uuid, coalesce((SELECT scheduled_for FROM run WHERE id = $4::uuid), CASE WHEN $4 IS NULL THEN NULL ELSE now() END), NULL,
       CASE WHEN $4 IS NULL THEN NULL ELSE now() END`,
    [db.namespace, key, slot, runId ?? null],
  );
}

/** A run that holds a slot of a key. */
async function holderOf(key: string, set = AT_WORK, slot = 1): Promise<string> {
  const id = await aRun(key, `${set}, slot = ${slot}`);
  await aSlot(key, { slot, runId: id });
  return id;
}

const slots = async (filter: { key?: string; busy?: boolean; limit?: number } = {}, db = one) =>
  (await listKeySlots(db, { limit: 99, ...filter })).map(({ key, slot }) => `${key}:${slot}`);

it('tells the slots of its namespace, by key and slot, with who holds them', async () => {
  const holder = await holderOf('b', AT_WORK, 2);
  await aRun('b', WAITS);
  await aRun('b', WAITS);
  await aRun('b', `state = 'queued'`);
  await aRun('b', WAITS, { db: other });
  await aSlot('b');
  await aSlot('aa', { runId: newRunId(ago(0)) });
  await aSlot('theirs', { db: other });
  const gone = { runId: expect.any(String), state: null, taskName: null, attempt: 0, worker: null };
  expect(await listKeySlots(one, { limit: 99 })).toEqual([
    { key: 'aa', slot: 1, limit: null, fence: 5n, waiting: 0, holder: { ...gone, since: expect.any(Date) } },
    { key: 'b', slot: 1, limit: 1, fence: 5n, waiting: 2, holder: null },
    {
      ...{ key: 'b', slot: 2, limit: 1, fence: 5n, waiting: 2 },
      holder: { runId: holder, state: 'running', taskName: 'a', attempt: 1, worker: null, since: expect.any(Date) },
    },
  ]);
  expect(await slots({ limit: 2 })).toEqual(['aa:1', 'b:1']);
  expect(await slots({ key: 'b' })).toEqual(['b:1', 'b:2']);
  expect(await slots({ key: 'b', busy: true })).toEqual(['b:1', 'b:2']);
  expect(await slots({ key: 'none' })).toEqual([]);
});

it('a key is busy with a run on it, or with one that waits', async () => {
  await holderOf('1-running');
  await holderOf('2-queued', `state = 'queued'`);
  await holderOf('3-retrying', `state = 'retrying', attempt = 1`);
  await holderOf('4-unknown', `state = 'unknown', reason = 'lost'`);
  await holderOf('5-held', `state = 'held'`);
  await aSlot('6-waits');
  await aRun('6-waits', WAITS);
  await aSlot('7-free');
  await aSlot('1-running', { slot: 2 });
  const busy = ['1-running:1', '2-queued:1', '3-retrying:1', '4-unknown:1', '5-held:1', '6-waits:1'];
  expect(await slots({ busy: true })).toEqual(busy);
  expect(await slots()).toEqual([busy[0], '1-running:2', ...busy.slice(1), '7-free:1']);
  expect(await slots({ busy: true, key: '3-retrying' })).toEqual(['3-retrying:1']);
});

it.each([
  ['has ended', `state = 'failed', reason = 'no', finished_at = now(), slot = 1`, one],
  ['runs without a slot', AT_WORK, one],
  ['is of another namespace', `${AT_WORK}, slot = 1`, other],
] as const)('a slot whose run is gone is not busy for another run of the key that %s', async (_, set, db) => {
  await aSlot('gone', { runId: newRunId(ago(0)) });
  await aRun('gone', set, { db });
  expect([await slots(), await slots({ busy: true })]).toEqual([['gone:1'], []]);
});

it('a slot of another namespace is not busy for a run of the key', async () => {
  await holderOf('shared');
  await aSlot('shared', { slot: 2, runId: newRunId(ago(0)), db: other });
  expect(await slots({ busy: true })).toEqual(['shared:1']);
});

it('a key lets in as many as the smallest limit of those on it, or else of those that wait', async () => {
  const limitOf = async (key: string) => (await listKeySlots(one, { key, limit: 9 })).map(({ limit }) => limit);
  await holderOf('l', `${AT_WORK}, key_limit = 4`);
  await holderOf('l', `${AT_WORK}, key_limit = 3`, 2);
  await aRun('l', `${WAITS}, key_limit = 2`);
  expect(await limitOf('l')).toEqual([3, 3]);
  await aSlot('w');
  await aRun('w', `${WAITS}, key_limit = 6`);
  await aRun('w', `${WAITS}, key_limit = 5`);
  await aRun('w', `state = 'queued', key_limit = 1`);
  expect(await limitOf('w')).toEqual([5]);
});

it('a key without runs lets in as many as the greatest limit of the tasks that have it', async () => {
  const limitOf = async (key: string) => (await listKeySlots(one, { key, limit: 9 })).map(({ limit }) => limit);
  await makeTask(one, { name: 't-2', key: 't', limit: 2 });
  await makeTask(one, { name: 't-3', key: 't', limit: 3 });
  await makeTask(one, { name: 't-gone', key: 't', limit: 4 });
  await deleteNow(one, 't-gone', by('ann'));
  await makeTask(one, { name: 'beside', limit: 5 });
  await makeTask(other, { name: 't-theirs', key: 't', limit: 6 });
  await aSlot('t');
  expect(await limitOf('t')).toEqual([3]);
});

it('tells the runs that wait for a key, the next first, then those that run without a slot', async () => {
  const blocker = newRunId(ago(0));
  const second = await aRun('k', WAITS, { minutes: 5 });
  const first = await aRun('k', `${WAITS}, blocked_by = '${blocker}'`, { minutes: 6 });
  const beside = await aRun('k', AT_WORK, { minutes: 9 });
  const late = await aRun('k', AT_WORK, { minutes: 3 });
  await holderOf('k');
  await aRun('k', `state = 'queued'`);
  await aRun('k', `state = 'held'`);
  for (const set of [WAITS, AT_WORK]) {
    await aRun('k', set, { db: other });
    await aRun('another', set);
  }
  const found = await keyRuns(one, 'k', 9);
  expect(found.map(({ runId }) => runId)).toEqual([first, second, beside, late]);
  expect(found[0]).toMatchObject({
    taskName: 'a',
    state: 'waiting',
    worker: null,
    startedAt: null,
    blockedBy: blocker,
  });
  expect(found[2]).toMatchObject({ state: 'running', worker: 'w', startedAt: expect.any(Date), blockedBy: null });
  expect((await keyRuns(one, 'k', 1)).map(({ runId }) => runId)).toEqual([first]);
});
