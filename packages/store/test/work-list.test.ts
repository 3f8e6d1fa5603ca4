import { newRunId } from '@escapement/core';
import { by, lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { addToList, addToListFor, type BegunRun, openDatabase, takeItem } from '../src/index.ts';
import { ago, begun, MINUTE, makeTask, queueRuns } from './ledger.ts';

// The functions take_item and add_to_list.
const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

async function atWork(name: string, db = one): Promise<BegunRun> {
  const taskId = await makeTask(db, { name });
  const [run] = await begun(db, await queueRuns(db, [{ taskId, key: name, ageMs: MINUTE }]));
  if (!run) throw new Error('no fixture');
  return run;
}

async function itemsOf(list: string, db = one) {
  const { rows } = await one.pool.query<{ place: number; item: string; by: string | null }>(
    'SELECT place::integer, item, run_id AS by FROM work_item WHERE namespace = $1 AND list = $2 ORDER BY place',
    [db.namespace, list],
  );
  return rows;
}

const left = async (list: string, db = one) => (await itemsOf(list, db)).map(({ item }) => item);
const add = (list: string, items: readonly string[], db = one) => addToList(db, list, items, by('test'));
const take = (run: BegunRun, list: string, done: number | null = null, db = one) => takeItem(db, run, { list, done });
const addFor = (run: BegunRun, list: string, first: number, items: readonly string[]) =>
  addToListFor(one, run, { list, first, items });

async function takesOf(run: BegunRun): Promise<boolean> {
  const { rows } = await one.pool.query('SELECT takes FROM run WHERE id = $1', [run.runId]);
  return rows[0].takes;
}

it('items are handed out in their order, one to a run, and again until it is confirmed', async () => {
  await add('order', ['a', 'b', 'c']);
  const [first, second] = [await atWork('first'), await atWork('second')];
  expect(await take(first, 'order')).toEqual({ place: 0, item: 'a' });
  expect(await take(second, 'order')).toEqual({ place: 1, item: 'b' });
  expect(await take(first, 'order')).toEqual({ place: 0, item: 'a' });
  expect(await take(first, 'order', 0)).toEqual({ place: 2, item: 'c' });
  expect(await take(first, 'order', 2)).toBeNull();
  expect(await itemsOf('order')).toEqual([{ place: 1, item: 'b', by: second.runId }]);
});

it('of another list and namespace nothing is taken or confirmed, nor what another run has', async () => {
  for (const db of [one, other]) for (const list of ['near', 'far']) await add(list, ['a', 'b'], db);
  const [run, beside, abroad] = [await atWork('near'), await atWork('beside'), await atWork('near', other)];
  await one.pool.query(
    `UPDATE work_item SET run_id = $1, taken_at = now() WHERE namespace = 'other' AND list = 'near' AND place = 0`,
    [run.runId],
  );
  expect(await take(run, 'far')).toEqual({ place: 0, item: 'a' });
  expect(await take(run, 'near')).toEqual({ place: 0, item: 'a' });
  expect(await take(beside, 'near', 0)).toEqual({ place: 1, item: 'b' });
  expect(await left('near')).toEqual(['a', 'b']);
  expect(await take(run, 'near', 0)).toBeNull();
  expect(await itemsOf('far')).toEqual([
    { place: 0, item: 'a', by: run.runId },
    { place: 1, item: 'b', by: null },
  ]);
  expect(await itemsOf('near', other)).toEqual([
    { place: 0, item: 'a', by: run.runId },
    { place: 1, item: 'b', by: null },
  ]);
  expect(await take(abroad, 'far', null, other)).toEqual({ place: 0, item: 'a' });
});

it('a run is marked that takes items, alone', async () => {
  const [run, beside] = [await atWork('takes'), await atWork('takes-not')];
  await one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at)
     SELECT $2, scheduled_for, namespace, task_id, task_version, plan_epoch, 'trigger', 'queued', 'twin', key_limit, overlap, pool, due_at
     FROM run WHERE id = $1`,
    [run.runId, newRunId(run.scheduledFor)],
  );
  expect(await take(run, 'none')).toBeNull();
  expect([await takesOf(run), await takesOf(beside)]).toEqual([true, false]);
  const { rows } = await one.pool.query(`SELECT takes FROM run WHERE key = 'twin'`);
  expect(rows).toEqual([{ takes: false }]);
});

it.each([
  ['attempt', (run: BegunRun) => ({ ...run, attempt: 2 })],
  ['fence', (run: BegunRun) => ({ ...run, fence: run.fence + 1n })],
])('who is of another %s gets nothing and adds nothing', async (what, changed) => {
  await add(what, ['a']);
  const run = changed(await atWork(what));
  await expect(take(run, what)).rejects.toMatchObject({ code: 'run_not_current' });
  await expect(addFor(run, what, 0, ['b'])).rejects.toMatchObject({ code: 'run_not_current' });
  expect(await itemsOf(what)).toEqual([{ place: 0, item: 'a', by: null }]);
});

it('a run that ends at the same moment gets nothing', async () => {
  await add('ends', ['a']);
  const run = await atWork('ends');
  const ended = await lockRows(
    url,
    `UPDATE run SET state = 'failed', reason = 'no', finished_at = now() WHERE id = $1`,
    [run.runId],
  );
  const answer = take(run, 'ends').catch((error: unknown) => error);
  await ended.awaited();
  await ended.commit();
  expect(await answer).toMatchObject({ code: 'run_not_current' });
  expect(await itemsOf('ends')).toEqual([{ place: 0, item: 'a', by: null }]);
});

it('an item that somebody is about to take is not waited for, nor are other runs', async () => {
  await add('held', ['a', 'b']);
  const [run, beside] = [await atWork('held'), await atWork('held-not')];
  await one.pool.query('UPDATE run SET scheduled_for = $2 WHERE id = $1', [beside.runId, run.scheduledFor]);
  const items = await lockRows(url, `SELECT FROM work_item WHERE list = 'held' AND place = 0 FOR UPDATE`);
  const runs = await lockRows(url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', [beside.runId]);
  expect(await take(run, 'held')).toEqual({ place: 1, item: 'b' });
  await Promise.all([items.release(), runs.release()]);
});

it('items go to the end of a list, each list and namespace by itself', async () => {
  await add('ends-of', ['a', 'b']);
  await add('ends-of', ['x'], other);
  await add('ends-of-2', ['y']);
  await add('ends-of', ['c']);
  expect((await itemsOf('ends-of')).map(({ place, item }) => [place, item])).toEqual([
    [0, 'a'],
    [1, 'b'],
    [2, 'c'],
  ]);
  expect([await left('ends-of', other), await left('ends-of-2')]).toEqual([['x'], ['y']]);
});

it('what a run has added before is not added again, in whatever pieces it comes', async () => {
  const run = await atWork('adds');
  expect(await addFor(run, 'pieces', 0, ['a', 'b', 'c'])).toBe(3);
  expect(await addFor(run, 'pieces', 0, ['a'])).toBe(0);
  expect(await addFor(run, 'pieces', 1, ['b', 'c', 'd'])).toBe(1);
  expect(await addFor(run, 'pieces', 0, ['a', 'b', 'c', 'd'])).toBe(0);
  expect(await addFor(run, 'pieces', 9, ['e', 'f'])).toBe(2);
  expect(await addFor(run, 'pieces', 10, ['f', 'g'])).toBe(1);
  expect(await addFor(run, 'pieces', 12, [])).toBe(0);
  expect((await itemsOf('pieces')).map(({ place, item }) => `${place}${item}`)).toEqual([
    ...['0a', '1b', '2c', '3d', '4e', '5f', '6g'],
  ]);
});

it('what a run has added is counted of each list, and of each run', async () => {
  const [run, beside] = [await atWork('counts'), await atWork('counts-too')];
  expect(await addFor(run, 'l-1', 0, ['a'])).toBe(1);
  expect(await addFor(beside, 'l-1', 0, ['b'])).toBe(1);
  expect(await addFor(run, 'l-2', 0, ['c'])).toBe(1);
  expect(await addFor(run, 'l-2', 1, ['d', 'e'])).toBe(2);
  // Of the first list it has added one.
  expect(await addFor(run, 'l-1', 1, ['f'])).toBe(1);
  expect(await addFor(beside, 'l-1', 1, ['g'])).toBe(1);
  expect(await left('l-1')).toEqual(['a', 'b', 'f', 'g']);
  expect(await left('l-2')).toEqual(['c', 'd', 'e']);
});

it('runs beside it are nothing to a run whose items are those of nobody', async () => {
  await add('nobody', ['a']);
  const run = await atWork('nobody');
  await one.pool.query(
    `UPDATE work_item SET run_id = $1, taken_at = now() WHERE namespace = 'default' AND list = 'nobody'`,
    [newRunId(ago(MINUTE))],
  );
  expect(await take(run, 'nobody')).toBeNull();
});
