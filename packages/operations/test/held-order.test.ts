import { actionOf, HOUR, MINUTE, SECOND } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import { findRun, readAuditLog, readRequest } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { beforeEach, expect, test } from 'vitest';
import { askBulk, type BulkAsked, bulkResults, previewBulk } from '../src/index.ts';
import { ago, runsOfTask } from './runs-of-task.ts';

const fleet = await testFleet();
const { db } = fleet;
const ANN = by('ann', 'the disk is back');
type RunHeld = Extract<BulkAsked, { action: 'run_held' }>;

beforeEach(() => db.pool.query('DELETE FROM run'));

/** Held runs of tasks, so many minutes old, from the oldest on. Returns their ids by task. */
async function hold(minutes: Readonly<Record<string, readonly number[]>>): Promise<Record<string, string[]>> {
  const ids: Record<string, string[]> = {};
  for (const [name, ages] of Object.entries(minutes))
    ids[name] = await runsOfTask(fleet, { name, state: 'held', agesMs: ages.map((age) => age * MINUTE) });
  for (const name of Object.keys(ids)) if (name.startsWith('urgent')) await fleet.save({ name, priority: 50 });
  return ids;
}

/** Lets held runs go, after as many passes of a scheduler as it takes. Returns the request. */
async function letGo(asked: Omit<RunHeld, 'action'>, who = ANN): Promise<string> {
  const id = await askBulk(db, { action: 'run_held', ...asked }, who);
  for (let pass = 0; pass < 50; pass++) {
    await fleet.requests.runOnce();
    if ((await readRequest(db, id))?.result) return id;
  }
  throw new Error('it has no end');
}

/** The runs that went on, in the order in which they are due. Two that are due at once have none. */
async function wentOn(): Promise<{ id: string; dueMs: number }[]> {
  const { rows } = await db.pool.query<{ id: string; due_at: Date }>(
    `SELECT id, due_at FROM run WHERE state = 'planned' ORDER BY due_at`,
  );
  const due = rows.map(({ id, due_at }) => ({ id, dueMs: due_at.getTime() }));
  expect(new Set(due.map(({ dueMs }) => dueMs)).size).toBe(due.length);
  return due;
}

const idsThatWentOn = async () => (await wentOn()).map(({ id }) => id);
const THREE = { early: [90, 80], late: [9, 8], urgent: [50, 40], plain: [70] };
const inOrder = (ids: Record<string, string[]>, ...names: string[]) => names.flatMap((name) => ids[name] ?? []);

test('the tasks that are named go first, one after the other, then the others by priority and age', async () => {
  const ids = await hold(THREE);
  const order = ['late', 'early'];
  const { first, total } = await previewBulk(db, { action: 'run_held', order });
  const expected = inOrder(ids, 'late', 'early', 'urgent', 'plain');
  expect([total, first.map(({ id }) => id)]).toEqual([7, expected]);
  const id = await letGo({ order });
  expect(await idsThatWentOn()).toEqual(expected);
  expect((await readRequest(db, id))?.request).toMatchObject({ kind: 'run_held', order });
  expect(await readAuditLog(db, { subject: `request:${id}`, limit: 1 })).toMatchObject([{ detail: { order } }]);
});

test('without an order they go by priority, then the oldest first; all are due at once', async () => {
  const ids = await hold(THREE);
  const { first } = await previewBulk(db, { action: 'run_held' });
  expect(first.map(({ id }) => id)).toEqual(inOrder(ids, 'urgent', 'early', 'plain', 'late'));
  const id = await letGo({ order: [] });
  expect((await readRequest(db, id))?.request).not.toHaveProperty('order');
  const { rows } = await db.pool.query(`SELECT DISTINCT due_at FROM run WHERE state = 'planned'`);
  expect(rows).toHaveLength(1);
});

test('at a rate and from an instant on, one after the other in that order', async () => {
  const ids = await hold(THREE);
  const fromAt = new Date(ago(0).getTime() + 20 * SECOND);
  await letGo({ order: ['plain', 'late'], spacingMs: 5 * SECOND, fromAt });
  const due = await wentOn();
  expect(due.map(({ id }) => id)).toEqual(inOrder(ids, 'plain', 'late', 'urgent', 'early'));
  expect(due.map(({ dueMs }) => dueMs - fromAt.getTime())).toEqual(due.map((_, index) => index * 5 * SECOND));
});

test('only the newest of each task go on, in that order; the older ones end as missed', async () => {
  const ids = await hold(THREE);
  await letGo({ order: ['late', 'early'], latestOnly: true });
  const newest = ['late', 'early', 'urgent', 'plain'].map((name) => ids[name]?.at(-1));
  expect(await idsThatWentOn()).toEqual(newest);
  const { rows } = await db.pool.query(`SELECT id FROM run WHERE state = 'missed' ORDER BY id`);
  expect(rows.map(({ id }) => id)).toEqual(['early', 'urgent', 'late'].map((name) => ids[name]?.[0]));
});

test('the order is of the runs that are chosen: of tasks, of labels, or single ones', async () => {
  const ids = await hold(THREE);
  const [first = '', second = ''] = ids.early ?? [];
  await letGo({ runs: [first, ...(ids.late ?? [])], order: ['late', 'early'] });
  expect(await idsThatWentOn()).toEqual([...(ids.late ?? []), first]);
  await db.pool.query(`UPDATE run SET state = 'held' WHERE state = 'planned'`);
  await letGo({ names: ['early', 'urgent'], order: ['early'] });
  expect(await idsThatWentOn()).toEqual(inOrder(ids, 'early', 'urgent'));
  expect((await findRun(db, second))?.state).toBe('planned');
});

test('it goes on over chunks and schedulers: the order is kept with the request', async () => {
  const ages = Array.from({ length: 130 }, (_, index) => HOUR / MINUTE + 130 - index);
  const ids = await hold({ bulky: ages, 'urgent-bulky': ages.slice(0, 90), small: [1] });
  const id = await letGo({ order: ['small', 'bulky'] });
  const expected = inOrder(ids, 'small', 'bulky', 'urgent-bulky');
  expect(await idsThatWentOn()).toEqual(expected);
  const { items } = await bulkResults(db, ANN, { id, afterId: null, limit: 1000 });
  expect(items.map(({ runId }) => runId).toSorted()).toEqual(expected.toSorted());
});

test('a run that is decided about meanwhile is passed over, and a task that has nothing held holds nobody up', async () => {
  const ids = await hold({ early: [90], late: [9] });
  await hold({ empty: [] });
  await letGo({ order: ['empty', 'late'] });
  expect(await idsThatWentOn()).toEqual(inOrder(ids, 'late', 'early'));
});

test('a name that is no task is refused, with the nearest; so is one that it is not about', async () => {
  await hold({ early: [9], late: [8] });
  await fleet.save({ name: 'shop', labels: { team: 'shop' } });
  const ask = (asked: Omit<RunHeld, 'action'>, who = ANN) => askBulk(db, { action: 'run_held', ...asked }, who);
  await expect(ask({ order: ['late', 'eraly'] })).rejects.toMatchObject({
    ...{ code: 'unknown_task', fix: 'did you mean early?', message: 'there is no task "eraly"' },
  });
  for (const asked of [{ task: 'late' }, { names: ['late'] }])
    await expect(ask({ ...asked, order: ['early'] })).rejects.toMatchObject({
      code: 'unknown_task',
      message: 'the order has "early", which is none of the tasks that it is about',
    });
  // Nobody learns by it whether there is a task that they may not see.
  const selector = parseSelector('team=shop');
  const grants = [{ role: 'operator', rights: [], namespace: 'default', selector }] as const;
  const who = { ...actionOf({ kind: 'token', id: 'x', name: 'shop-only', address: null }), grants };
  for (const name of ['early', 'never-there'])
    await expect(ask({ labels: selector, order: [name] }, who)).rejects.toMatchObject({
      message: `the order has "${name}", which is none of the tasks that it is about`,
    });
  await ask({ labels: selector, order: ['shop'] }, who);
});
