import { newRunId } from '@escapement/core';
import { by, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { addToList, dropWorkList, openDatabase, workItems, workLists } from '../src/index.ts';
import { ago } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

const ANN = by('ann', 'old');

const add = (list: string, items: readonly string[], db = one) => addToList(db, list, items, ANN);

/** A run has taken the item of a place. */
const take = (list: string, place: number, db = one) =>
  one.pool.query(
    'UPDATE work_item SET run_id = $4, taken_at = now() WHERE namespace = $1 AND list = $2 AND place = $3',
    [db.namespace, list, place, newRunId(ago(0))],
  );

async function namesOf(db = one): Promise<string[]> {
  return (await workLists(db)).map(({ name }) => name);
}

it('tells the lists of its namespace by name, with how many items wait, are taken, and were ever added', async () => {
  await add('told-b', ['a', 'b', 'c', 'd']);
  await take('told-b', 0);
  await one.pool.query(`DELETE FROM work_item WHERE list = 'told-b' AND place = 1`);
  await add('told-a', ['x']);
  await add('told-empty', ['y']);
  await one.pool.query(`DELETE FROM work_item WHERE list = 'told-empty'`);
  await add('told-b', ['p', 'q', 'r', 's', 't'], other);
  await add('told-theirs', ['p'], other);
  expect(await workLists(one)).toEqual([
    { name: 'told-a', waiting: 1, taken: 0, added: 1 },
    { name: 'told-b', waiting: 2, taken: 1, added: 4 },
    { name: 'told-empty', waiting: 0, taken: 0, added: 1 },
  ]);
});

it('the items of a list are those of its namespace', async () => {
  await add('shared', ['mine']);
  await add('shared', ['theirs'], other);
  expect((await workItems(one, 'shared', { limit: 9 })).items).toMatchObject([{ place: 0, item: 'mine', runId: null }]);
});

it('an item that is taken says by which run, and since when', async () => {
  await add('taken', ['a', 'b']);
  await take('taken', 1);
  expect((await workItems(one, 'taken', { limit: 9 })).items).toEqual([
    { place: 0, item: 'a', runId: null, takenAt: null },
    { place: 1, item: 'b', runId: expect.any(String), takenAt: expect.any(Date) },
  ]);
});

it('the list is gone that is dropped when no run has an item of it, and somebody has done it', async () => {
  await add('drops', ['a', 'b']);
  await add('drops-not', ['c']);
  await add('drops', ['d'], other);
  expect(await dropWorkList(one, 'drops', ANN)).toEqual({ dropped: 2, taken: 0 });
  expect(await namesOf()).not.toContain('drops');
  expect(await namesOf()).toContain('drops-not');
  expect(await namesOf(other)).toContain('drops');
  expect((await workItems(other, 'drops', { limit: 9 })).items).toHaveLength(1);
  const { rows } = await one.pool.query(
    `SELECT namespace, principal_name AS who, reason, detail FROM audit WHERE action = 'drop' AND subject = 'list:drops'`,
  );
  expect(rows).toEqual([{ namespace: 'default', who: 'ann', reason: 'old', detail: { items: 2 } }]);
  expect(await dropWorkList(one, 'drops', ANN)).toBeNull();
});

it('the list stays that is dropped while a run has an item of it', async () => {
  await add('half', ['a', 'b']);
  await take('half', 0);
  expect(await dropWorkList(one, 'half', ANN)).toEqual({ dropped: 1, taken: 1 });
  expect(await namesOf()).toContain('half');
  expect((await workItems(one, 'half', { limit: 9 })).items).toMatchObject([{ item: 'a' }]);
});

it('what runs have taken of other lists is nothing to a list that is dropped', async () => {
  await add('alone', ['a']);
  await add('beside', ['b']);
  await add('alone', ['c'], other);
  await take('beside', 0);
  await take('alone', 0, other);
  expect(await dropWorkList(one, 'alone', ANN)).toEqual({ dropped: 1, taken: 0 });
  expect(await namesOf()).not.toContain('alone');
});
