import { taskDefinition } from '@escapement/core';
import { by } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import {
  dropTaskChange,
  dueTaskChanges,
  failTaskChange,
  findTaskChange,
  forgetTaskChange,
  putTaskChange,
} from '../src/index.ts';
import { ago, MINUTE, makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

beforeEach(async () => {
  for (const table of ['task_change', 'fleet_freeze']) await one.pool.query(`DELETE FROM ${table}`);
});

const definitionOf = (name: string, description?: string) =>
  taskDefinition.parse({ name, ...(description ? { description } : {}), handler: { type: 'shell', command: 'true' } });

/** Keeps a change of a task that is due so long ago; ahead, where it is less than nothing. */
async function put(name: string, ageMs: number, db = one) {
  const effectiveAt = ago(ageMs);
  await putTaskChange(db, {
    definition: definitionOf(name),
    redacted: { name },
    effectiveAt,
    source: 'cli',
    basedOn: 3,
    by: by('ann', 'as agreed'),
  });
  const change = await findTaskChange(db, name);
  if (!change) throw new Error('no fixture');
  return { ...change, effectiveAt };
}

const dueNames = async (options: { aheadMs?: number; limit?: number } = {}, db = one) =>
  (await dueTaskChanges(db, { aheadMs: 10 * MINUTE, limit: 100, ...options })).map(({ name }) => name);

const audited = async (action: string) => {
  const { rows } = await one.pool.query(
    'SELECT subject, detail, after FROM audit WHERE action = $1 AND namespace = $2 ORDER BY id',
    [action, one.namespace],
  );
  return rows;
};

it('a change is found by its name, as it was put', async () => {
  const { effectiveAt } = await put('found', -MINUTE);
  await put('beside', -2 * MINUTE);
  expect(await findTaskChange(one, 'found')).toEqual({
    id: expect.any(String),
    name: 'found',
    definition: JSON.parse(JSON.stringify(definitionOf('found'))),
    source: 'cli',
    createdBy: by('ann').principal,
    note: 'as agreed',
    effectiveAt,
    basedOn: 3,
    error: null,
  });
  expect(await findTaskChange(one, 'nobody')).toBeNull();
  expect(await findTaskChange(other, 'found')).toBeNull();
});

it('a change takes the place of the one that waited, and is noted', async () => {
  const first = await put('replaced', -MINUTE);
  await failTaskChange(one, first, 'no such zone');
  const effectiveAt = ago(-5 * MINUTE);
  await putTaskChange(one, {
    definition: definitionOf('replaced', 'the second'),
    redacted: { hidden: true },
    effectiveAt,
    source: 'api',
    basedOn: 0,
    by: by('bob'),
  });
  const second = await findTaskChange(one, 'replaced');
  expect(second).toMatchObject({
    definition: { description: 'the second' },
    ...{ source: 'api', createdBy: by('bob').principal, note: null, effectiveAt, basedOn: 0, error: null },
  });
  expect(second?.id).not.toBe(first.id);
  expect((await audited('save for later')).at(-1)).toMatchObject({
    subject: 'task:replaced',
    after: { hidden: true },
  });
});

it('changes that are due soon are named, the earliest first, as many as are asked for', async () => {
  await put('second', MINUTE);
  await put('third', -5 * MINUTE);
  await put('first', 3 * MINUTE);
  await put('later', -20 * MINUTE);
  expect(await dueNames()).toEqual(['first', 'second', 'third']);
  expect(await dueNames({ limit: 2 })).toEqual(['first', 'second']);
  expect(await dueNames({ aheadMs: 0 })).toEqual(['first', 'second']);
  expect(await dueNames({}, other)).toEqual([]);
});

it('one that is known to be impossible is not tried again, the others are', async () => {
  const change = await put('impossible', MINUTE);
  await put('possible', MINUTE);
  await failTaskChange(other, change, 'of another namespace');
  expect(await dueNames()).toEqual(['impossible', 'possible']);
  await failTaskChange(one, change, 'no such zone');
  expect(await dueNames()).toEqual(['possible']);
  expect(await findTaskChange(one, 'impossible')).toMatchObject({ error: 'no such zone' });
  expect(await findTaskChange(one, 'possible')).toMatchObject({ error: null });
});

const pause = (taskId: string, until: string | null) =>
  one.pool.query(
    `INSERT INTO task_pause (task_id, from_at, until_at, created_by) VALUES ($1, now() - interval '2 h', now() + $2::interval, 'ann')`,
    [taskId, until],
  );
const freeze = (namespace: string, until: string | null) =>
  one.pool.query(
    `INSERT INTO fleet_freeze (namespace, from_at, until_at, note, created_by)
     VALUES ($1, now() - interval '2 h', now() + $2::interval, 'stop', 'ann')`,
    [namespace, until],
  );

it.each([
  ['for a while', '1 h', false],
  ['without an end', null, false],
  ['until an hour ago', '-1 h', true],
])(
  'a change of a task that is paused or frozen %s is not taken ahead, but when it is due',
  async (why, until, ahead) => {
    const name = why.replaceAll(' ', '-');
    const taskId = await makeTask(one, { name });
    const before = async () => {
      await put(name, -5 * MINUTE);
      return await dueNames();
    };
    const due = async () => {
      await put(name, MINUTE);
      return await dueNames();
    };
    await freeze(one.namespace, until);
    expect([await before(), await due()]).toEqual([ahead ? [name] : [], [name]]);
    await one.pool.query('DELETE FROM fleet_freeze');
    await pause(taskId, until);
    expect([await before(), await due()]).toEqual([ahead ? [name] : [], [name]]);
  },
);

it('is not held up by pauses of another task, of a deleted one, or in another namespace, nor by freezes there', async () => {
  await put('free', -5 * MINUTE);
  await makeTask(one, { name: 'free' });
  await pause(await makeTask(one, { name: 'paused' }), null);
  await pause(await makeTask(other, { name: 'free' }), null);
  await freeze('other', null);
  expect(await dueNames()).toEqual(['free']);
  const deleted = await makeTask(one, { name: 'deleted' });
  await pause(deleted, null);
  await one.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [deleted]);
  await put('deleted', -5 * MINUTE);
  expect(await dueNames()).toEqual(['free', 'deleted']);
});

it('a change that was carried out is forgotten, unless it is another one by now', async () => {
  const first = await put('forgotten', MINUTE);
  const second = await put('forgotten', MINUTE);
  expect(await forgetTaskChange(one, first)).toBe(false);
  expect(await forgetTaskChange(other, second)).toBe(false);
  expect(await forgetTaskChange(one, second)).toBe(true);
  expect(await forgetTaskChange(one, second)).toBe(false);
  expect(await findTaskChange(one, 'forgotten')).toBeNull();
});

it('a change is dropped by its name, and that is noted', async () => {
  const { effectiveAt } = await put('dropped', -MINUTE);
  await put('kept', -MINUTE);
  await put('dropped', -MINUTE, other);
  expect(await dropTaskChange(one, 'dropped', by('ann'))).toBe(true);
  expect(await dropTaskChange(one, 'dropped', by('ann'))).toBe(false);
  expect(await findTaskChange(one, 'kept')).not.toBeNull();
  expect(await findTaskChange(other, 'dropped')).not.toBeNull();
  const noted = await audited('drop pending change');
  expect(noted).toMatchObject([{ subject: 'task:dropped', after: null }]);
  expect(new Date(noted[0]?.detail.effective)).toEqual(effectiveAt);
});
