import { newRunId, type TaskInput } from '@escapement/core';
import { by, lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import {
  batchesToAdvance,
  batchItems,
  cancelChildren,
  countBatch,
  finishBatch,
  makeChildren,
  openDatabase,
  stopBatch,
} from '../src/index.ts';
import { ago, deleteNow, MINUTE, makeTask } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

/** A page of items. */
const PAGE = 100;

/** A running batch of two items of a task, `a` and `b`. `set`: what else is true of it. */
async function batchOf(task: Partial<TaskInput> & { name: string }, set = 'made = 0'): Promise<string> {
  const taskId = await makeTask(one, task);
  const at = ago(MINUTE);
  const id = newRunId(at).replace(/.{8}$/, '00000000');
  await one.pool.query(
    `INSERT INTO batch (id, namespace, run_id, run_scheduled_for, name, task_id, concurrency, ordering, on_error, state, filled_by,
       total, created_at, advanced_at)
     VALUES ($1, 'default', $2, $3, 'all', $4, 7, 'none', 'continue', 'running', 1, 2, $3, now() - interval '1 h')`,
    [id, newRunId(at), at, taskId],
  );
  await page(id, 0, ['a', 'b']);
  await one.pool.query(`UPDATE batch SET ${set} WHERE id = $1`, [id]);
  return id;
}

const page = (id: string, first: number, items: readonly string[]) =>
  one.pool.query('INSERT INTO batch_page (batch_id, first, items) VALUES ($1, $2, $3)', [
    ...[id, first, JSON.stringify(items)],
  ]);

const make = (batchId: string, made: number, count: number, keys: readonly string[] | null = null) =>
  makeChildren(one, { batchId, made, count, keys });

async function childrenOf(id: string) {
  const { rows } = await one.pool.query(
    `SELECT payload, key, key_limit AS "limit", overlap, rate_key AS rate, start_by - due_at AS deadline FROM run WHERE batch_id = $1
     ORDER BY id`,
    [id],
  );
  return rows;
}

async function stateOf(id: string) {
  const { rows } = await one.pool.query('SELECT state, reason, made FROM batch WHERE id = $1', [id]);
  return rows[0];
}

async function pagesOf(id: string): Promise<number[]> {
  const { rows } = await one.pool.query('SELECT first FROM batch_page WHERE batch_id = $1 ORDER BY first', [id]);
  return rows.map(({ first }) => first);
}

it('children are made in the order of the items, once, and no more than there are items', async () => {
  const id = await batchOf({ name: 'order' });
  expect(await make(id, 0, 3)).toEqual([]);
  expect(await make(id, 0, 1)).toMatchObject([{ queue: 'default+shell', dispatch: 1 }]);
  expect(await make(id, 0, 1)).toEqual([]);
  expect(await make(id, 1, 1)).toHaveLength(1);
  expect((await childrenOf(id)).map(({ payload }) => payload)).toEqual(['a', 'b']);
  expect(await stateOf(id)).toMatchObject({ made: 2 });
});

it('no children are made of a batch that is stopped, of another namespace, or whose task was deleted', async () => {
  expect(await make(await batchOf({ name: 'stopped' }, `state = 'stopping'`), 0, 1)).toEqual([]);
  const [id, beside] = [await batchOf({ name: 'gone' }), await batchOf({ name: 'beside' })];
  expect(await makeChildren(other, { batchId: id, made: 0, count: 1, keys: null })).toEqual([]);
  await deleteNow(one, 'gone', by('test'));
  expect(await make(id, 0, 1)).toEqual([]);
  expect(await stateOf(id)).toMatchObject({ made: 0 });
  expect(await make(beside, 0, 1)).toHaveLength(1);
});

it('the children of a batch share its key and limit; by keys of their own they have those of the task', async () => {
  const task = { limit: 3, overlap: 'wait-one', startDeadlineMs: MINUTE } as const;
  const shared = await batchOf({ ...task, name: 'shared' });
  await make(shared, 0, 2);
  const key = `batch:${shared}`;
  expect(await childrenOf(shared)).toMatchObject([
    { key, limit: 7, overlap: 'allow', rate: null },
    { key, limit: 7, overlap: 'allow', rate: null },
  ]);
  const apart = await batchOf({ ...task, name: 'apart' });
  await make(apart, 0, 1, ['k-a']);
  await make(apart, 1, 1, ['k-b']);
  expect(await childrenOf(apart)).toMatchObject([
    { key: 'k-a', limit: 3, overlap: 'wait-all' },
    { key: 'k-b', limit: 3, overlap: 'wait-all' },
  ]);
  const beside = await batchOf({ ...task, name: 'beside-others', overlap: 'allow' });
  await make(beside, 0, 1, ['k-a']);
  expect(await childrenOf(beside)).toMatchObject([{ overlap: 'allow' }]);
  const series = await batchOf({ ...task, name: 'series', overlap: 'allow' }, `ordering = 'series'`);
  await make(series, 0, 1);
  expect(await childrenOf(series)).toMatchObject([{ overlap: 'wait-all' }]);
});

it('the rate of a child is that of its item', async () => {
  const id = await batchOf({ name: 'rated', rate: { limit: 1, perMs: MINUTE, key: 'of {{payload.x}}' } });
  await one.pool.query(`UPDATE batch_page SET items = '[{"x": "a"}, {"x": "b"}]' WHERE batch_id = $1`, [id]);
  await make(id, 0, 2);
  expect((await childrenOf(id)).map(({ rate }) => rate)).toEqual(['of a', 'of b']);
});

it('pages are read by their first item, and dropped once all of their items have children', async () => {
  const [id, beside] = [await batchOf({ name: 'pages' }, `total = ${PAGE + 2}`), await batchOf({ name: 'pages-2' })];
  const items = (of: string, count: number) => Array.from({ length: count }, (_, n) => `${of}${n}`);
  await one.pool.query('DELETE FROM batch_page WHERE batch_id = $1', [id]);
  await page(id, 0, items('x', PAGE));
  await page(id, PAGE, ['y0', 'y1']);
  expect(await batchItems(one, id, PAGE - 1, 2)).toEqual([`x${PAGE - 1}`, 'y0']);
  expect(await batchItems(other, id, 0, 1)).toEqual([]);
  await make(id, 0, PAGE - 1);
  expect(await pagesOf(id)).toEqual([0, PAGE]);
  await make(id, PAGE - 1, 1);
  expect([await pagesOf(id), await pagesOf(beside)]).toEqual([[PAGE], [0]]);
  await make(id, PAGE, 2);
  expect((await childrenOf(id)).slice(-3).map(({ payload }) => payload)).toEqual([`x${PAGE - 1}`, 'y0', 'y1']);
});

it('children that are made together have items of two pages', async () => {
  const id = await batchOf({ name: 'two-pages' }, 'total = 3');
  await page(id, 2, ['c']);
  await make(id, 0, 3);
  expect((await childrenOf(id)).map(({ payload }) => payload)).toEqual(['a', 'b', 'c']);
});

it('who counts waits for who counts already, and sees what was noted meanwhile', async () => {
  const id = await batchOf({ name: 'noted-meanwhile' }, 'made = 1');
  const held = await lockRows(url, 'SELECT FROM batch WHERE id = $1 FOR UPDATE', [id]);
  const answer = countBatch(one, id);
  await held.awaited();
  await one.pool.query(`INSERT INTO batch_note (batch_id, state) VALUES ($1, 'succeeded')`, [id]);
  await held.commit();
  expect(await answer).toMatchObject({ succeeded: 1 });
});

it('only a batch that runs is stopped, of its own namespace', async () => {
  const [id, cancelling] = [await batchOf({ name: 'stop' }), await batchOf({ name: 'stop-2' }, `state = 'cancelling'`)];
  await stopBatch(other, id, 'no');
  expect(await stateOf(id)).toMatchObject({ state: 'running' });
  for (const each of [id, cancelling]) await stopBatch(one, each, 'enough');
  expect(await stateOf(id)).toMatchObject({ state: 'stopping', reason: 'enough' });
  expect(await stateOf(cancelling)).toMatchObject({ state: 'cancelling', reason: null });
});

it('a batch of another namespace is not counted, and who has another batch locked is not waited for', async () => {
  const [id, beside] = [await batchOf({ name: 'counted' }), await batchOf({ name: 'counted-not' })];
  expect(await countBatch(other, id)).toBeNull();
  const held = await lockRows(url, 'SELECT FROM batch WHERE id = $1 FOR UPDATE', [beside]);
  expect(await countBatch(one, id)).toMatchObject({ id });
  await held.release();
});

it.each([
  ['all have ended', `made = 2, succeeded = 1, failed = 1`, 'done'],
  ['one is open', `made = 2, succeeded = 1`, null],
  ['one is to be made', `made = 1, skipped = 1`, null],
  ['it is stopping, and those that were made have ended', `made = 1, skipped = 1, state = 'stopping'`, 'done'],
  ['it is being cancelled', `state = 'cancelling'`, 'cancelled'],
  ['it is being filled', `made = 2, succeeded = 2, state = 'filling'`, null],
])('whether a batch ends of which %s', async (why, set, becomes) => {
  const id = await batchOf({ name: `end-${why.replaceAll(/[ ,]+/g, '-')}` }, `${set}, reason = 'before'`);
  const before = await stateOf(id);
  expect(await finishBatch(other, id, { join: null, reason: null })).toBe(false);
  expect(await finishBatch(one, id, { join: null, reason: null })).toBe(becomes !== null);
  expect(await stateOf(id)).toEqual({ ...before, state: becomes ?? before.state });
  expect(await pagesOf(id)).toEqual(becomes === null ? [0] : []);
  expect(await finishBatch(one, id, { join: null, reason: null })).toBe(false);
});

it.each([
  ['done', '', 1],
  ['cancelled', `, state = 'cancelling'`, 0],
])('a batch that is %s has a run that joins it, or none', async (state, set, runs) => {
  const joining = await makeTask(one, { name: `joins-${state}` });
  const id = await batchOf({ name: `joined-${state}` }, `made = 2, succeeded = 2${set}`);
  const join = { id: newRunId(ago(0)), scheduledFor: ago(0), taskId: joining, key: 'join', payload: {} as never };
  expect(await finishBatch(one, id, { join, reason: 'why' })).toBe(true);
  expect(await stateOf(id)).toMatchObject({ state, reason: 'why' });
  const { rows } = await one.pool.query('SELECT state, overlap, key FROM run WHERE task_id = $1', [joining]);
  expect(rows).toEqual(Array.from({ length: runs }, () => ({ state: 'planned', overlap: 'wait-all', key: 'join' })));
});

it('of a batch that is cancelled open children are asked to end, so many at once, in their order', async () => {
  const id = await batchOf({ name: 'cancel' }, 'total = 6');
  await one.pool.query(`UPDATE batch_page SET items = '[1, 2, 3, 4, 5, 6]' WHERE batch_id = $1`, [id]);
  const children = await make(id, 0, 6);
  const [ended, unknown, first, held, second] = children.map((child) => child.id);
  await one.pool.query(`UPDATE run SET state = 'succeeded', finished_at = now() WHERE id = $1`, [ended]);
  await one.pool.query(`UPDATE run SET state = 'unknown', reason = 'lost' WHERE id = $1`, [unknown]);
  await one.pool.query(`UPDATE batch SET state = 'cancelling', cancelled_by = 'ann', reason = 'enough' WHERE id = $1`, [
    id,
  ]);
  const row = await countBatch(one, id);
  if (!row) throw new Error('no fixture');
  // The last child is one that it does not know of yet.
  const batch = { ...row, made: 5 };
  const lock = await lockRows(url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', [held]);
  const asked = async () => {
    const { rows } = await one.pool.query(
      `SELECT id FROM run WHERE batch_id = $1 AND cancel_requested_at IS NOT NULL AND cancel_requested_by = 'ann'
         AND cancel_reason = 'enough' ORDER BY id`,
      [id],
    );
    return rows.map((each) => each.id);
  };
  expect(await cancelChildren(other, batch, 9)).toBe(0);
  expect(await cancelChildren(one, batch, 1)).toBe(1);
  expect(await asked()).toEqual([first]);
  expect(await cancelChildren(one, batch, 9)).toBe(1);
  expect(await asked()).toEqual([first, second]);
  await lock.release();
  expect(await cancelChildren(one, batch, 9)).toBe(1);
  expect(await asked()).toEqual([first, held, second]);
});

it.each([
  ['is being cancelled', `state = 'cancelling', made = 1`, true],
  ['has none open', 'made = 1, failed = 1', true],
  ['may have more open', 'made = 1', true],
  ['has as many open as it may', 'made = 1, concurrency = 1', false],
  ['has made all', 'made = 2, skipped = 1', false],
  ['is stopping, and has some open', `made = 1, state = 'stopping'`, false],
  ['is being filled', `state = 'filling'`, false],
  ['was looked at just now', `advanced_at = now() + interval '1 min'`, false],
])('whether there is something to do for a batch that %s', async (why, set, isToDo) => {
  const id = await batchOf({ name: `advance-${why.replaceAll(/[ ,]+/g, '-')}` }, set);
  expect((await batchesToAdvance(one, 1000)).includes(id)).toBe(isToDo);
  expect((await batchesToAdvance(other, 1000)).includes(id)).toBe(false);
});

it('a batch with ends that are not counted is gone on with; the one that waited longest first', async () => {
  const [late, early] = [
    await batchOf({ name: 'noted' }, `made = 2, skipped = 1, advanced_at = '2001-01-02'`),
    await batchOf({ name: 'noted-early' }, `made = 2, skipped = 1, advanced_at = '2001-01-01'`),
  ];
  await one.pool.query('INSERT INTO batch_note (batch_id, state) VALUES ($1, $3), ($2, $3)', [late, early, 'failed']);
  expect(await batchesToAdvance(one, 2)).toEqual([early, late]);
  expect(await batchesToAdvance(one, 1)).toEqual([early]);
});
