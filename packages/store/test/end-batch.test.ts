import { newRunId } from '@escapement/core';
import { testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import {
  batchItems,
  cancelChildren,
  countBatch,
  finishBatch,
  openDatabase,
  stopBatch,
  stopIfDeleted,
} from '../src/index.ts';
import { insertBatch } from './batches.ts';
import { ago, makeTask } from './ledger.ts';

// How batches end, and what of that is nothing to other batches.
const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
const alone = openDatabase({ url, applicationName: 'alone', connections: 1 });
afterAll(() => Promise.all([one.close(), other.close(), alone.close()]));

const taskId = await makeTask(one, { name: 'children' });

async function rowOf(id: string) {
  const { rows } = await one.pool.query(
    `SELECT state, reason, (SELECT count(*)::integer FROM batch_page WHERE batch_id = id) AS pages FROM batch WHERE id = $1`,
    [id],
  );
  return rows[0];
}

/** A batch with a page of items. */
async function withPage(set?: string): Promise<string> {
  const { id } = await insertBatch(one, { taskId, ...(set ? { set } : {}) });
  await one.pool.query(`INSERT INTO batch_page (batch_id, first, items) VALUES ($1, 0, '["a", "b"]')`, [id]);
  return id;
}

const RUNNING = { state: 'running', reason: null, pages: 1 };
const WHOLE = 'made = 5, succeeded = 5';

it('items are those of one batch', async () => {
  const [id, beside] = [await withPage(), await withPage()];
  await one.pool.query(`UPDATE batch_page SET first = 1, items = '["x"]' WHERE batch_id = $1`, [beside]);
  expect(await batchItems(one, id, 0, 2)).toEqual(['a', 'b']);
});

it('a batch of which there is none is not counted', async () => {
  expect(await countBatch(one, newRunId(ago(0)))).toBeNull();
});

it('a batch whose task was deleted is stopped, and no other one', async () => {
  const deleted = await makeTask(one, { name: 'gone' });
  const [id, twin] = [await insertBatch(one, { taskId: deleted }), await insertBatch(one, { taskId: deleted })];
  const there = await withPage();
  await one.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [deleted]);
  expect([await stopIfDeleted(other, id.id), await stopIfDeleted(one, there)]).toEqual([false, false]);
  expect(await stopIfDeleted(one, id.id)).toBe(true);
  expect([await rowOf(id.id), await rowOf(twin.id), await rowOf(there)]).toEqual([
    { state: 'stopping', reason: 'its task was deleted', pages: 0 },
    { ...RUNNING, pages: 0 },
    RUNNING,
  ]);
});

it('a batch is stopped alone', async () => {
  const [id, beside] = [await withPage(), await withPage()];
  await stopBatch(one, id, 'enough');
  expect([await rowOf(id), await rowOf(beside)]).toEqual([{ state: 'stopping', reason: 'enough', pages: 1 }, RUNNING]);
});

it('a batch ends alone, with its items', async () => {
  const [id, beside] = [await withPage(WHOLE), await withPage(WHOLE)];
  expect(await finishBatch(one, id, { join: null, reason: null })).toBe(true);
  expect([await rowOf(id), await rowOf(beside)]).toEqual([{ state: 'done', reason: null, pages: 0 }, RUNNING]);
});

it.each([
  ['was deleted', `deleted_at = now()`],
  ['is of another namespace', `namespace = 'other'`],
])('no run joins a batch whose task for that %s', async (why, set) => {
  const joining = await makeTask(one, { name: why.replaceAll(' ', '-') });
  await one.pool.query(`UPDATE task SET ${set} WHERE id = $1`, [joining]);
  const id = await withPage(WHOLE);
  const join = { id: newRunId(ago(0)), scheduledFor: ago(0), taskId: joining, key: 'join', payload: {} as never };
  expect(await finishBatch(one, id, { join, reason: null })).toBe(true);
  const { rows } = await one.pool.query('SELECT id FROM run WHERE task_id = $1', [joining]);
  expect(rows).toEqual([]);
});

/** A batch that is being cancelled, with so many children, whose first one is at work or not. */
async function cancelled(children: number, set: string) {
  const { id, createdAt } = await insertBatch(one, { taskId, set: `state = 'cancelling', made = ${children}` });
  const { rows } = await one.pool.query<{ id: string }>(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool,
       due_at, batch_id)
     SELECT batch_child($1, n), $2, 'default', $3, 1, 1, 'chain', 'queued', 'k', 1, 'allow', 'default', $2, $1
     FROM generate_series(0, $4::integer - 1) AS n RETURNING id`,
    [id, createdAt, taskId, children],
  );
  await one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [rows[0]?.id]);
  const batch = await countBatch(one, id);
  if (!batch) throw new Error('no fixture');
  return { batch, ids: rows.map((row) => row.id) };
}

async function asked(ids: readonly string[]): Promise<boolean[]> {
  const { rows } = await one.pool.query<{ asked: boolean }>(
    'SELECT cancel_requested_at IS NOT NULL AS asked FROM run WHERE id = ANY ($1) ORDER BY id',
    [ids],
  );
  return rows.map((row) => row.asked);
}

const QUEUED = `state = 'queued'`;
const AT_WORK = `state = 'running', attempt = 1, fence = 1, worker = 'w', started_at = due_at`;

it('the children of a batch that is cancelled are asked to end from the first on, those of another one are not', async () => {
  const [{ batch, ids }, beside] = [await cancelled(2, QUEUED), await cancelled(2, QUEUED)];
  // They are of the same instant.
  await one.pool.query('UPDATE run SET scheduled_for = $2 WHERE id = ANY ($1)', [beside.ids, batch.created_at]);
  expect(await cancelChildren(one, batch, 9)).toBe(2);
  expect([await asked(ids), await asked(beside.ids)]).toEqual([
    [true, true],
    [false, false],
  ]);
});

it('a run of another namespace is no child', async () => {
  const { batch, ids } = await cancelled(1, `namespace = 'other'`);
  expect(await cancelChildren(one, batch, 9)).toBe(0);
  expect(await asked(ids)).toEqual([false]);
});

it.each([
  ['is at work', AT_WORK, ['default']],
  ['waits for its job', QUEUED, []],
])('whether workers are told of a child to end that %s', async (_, set, told) => {
  const { batch } = await cancelled(1, set);
  const client = await alone.pool.connect();
  const heard: string[] = [];
  client.on('notification', ({ payload }) => heard.push(payload ?? ''));
  await client.query('LISTEN escapement_cancel');
  client.release();
  expect(await cancelChildren(alone, batch, 9)).toBe(1);
  await alone.pool.query('UNLISTEN *');
  expect(heard).toEqual(told);
});
