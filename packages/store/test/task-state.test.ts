import { by } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { editTaskState, listTaskStates, readTaskState } from '../src/index.ts';
import { makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const NONE = { version: 0, shape: 0 };

const set = (taskId: string, key: string, value: unknown, { db = one, shape = 1 } = {}) =>
  editTaskState(db, { taskId, key, value: JSON.parse(JSON.stringify(value)), shape, by: by('ann', 'mended') });
const drop = (taskId: string, key: string, db = one) =>
  editTaskState(db, { taskId, key, value: undefined, shape: 0, by: by('ann', 'mended') });

const audited = async (taskId: string) => {
  const { rows } = await one.pool.query(
    `SELECT action, subject, reason, detail->'version' AS version FROM audit WHERE detail->>'task' = $1 ORDER BY id`,
    [taskId],
  );
  return rows;
};

it('a state is set, with a version that counts, and is read by task and key', async () => {
  const [taskId, beside] = [await makeTask(one, { name: 'set' }), await makeTask(one, { name: 'set-beside' })];
  expect(await readTaskState(one, taskId, 'k')).toEqual(NONE);
  expect(await set(taskId, 'k', { at: 1 })).toBe(true);
  expect(await readTaskState(one, taskId, 'k')).toEqual({ value: { at: 1 }, version: 1, shape: 1 });
  expect(await set(taskId, 'k', [2], { shape: 5 })).toBe(true);
  expect(await readTaskState(one, taskId, 'k')).toEqual({ value: [2], version: 2, shape: 5 });
  expect(await readTaskState(one, taskId, 'other-key')).toEqual(NONE);
  expect(await readTaskState(one, beside, 'k')).toEqual(NONE);
  expect(await readTaskState(other, taskId, 'k')).toEqual(NONE);
});

it('the state of a task is its own, though others have one for the same key', async () => {
  const [first, second] = [await makeTask(one, { name: 'same-key' }), await makeTask(one, { name: 'same-key-too' })];
  await set(first, 'k', 'first');
  await set(second, 'k', 'second');
  await set(second, 'l', 'another');
  expect(await readTaskState(one, first, 'k')).toMatchObject({ value: 'first', version: 1 });
  expect(await readTaskState(one, second, 'k')).toMatchObject({ value: 'second', version: 1 });
  expect(await drop(first, 'k')).toBe(true);
  expect(await readTaskState(one, first, 'k')).toEqual(NONE);
  expect(await readTaskState(one, second, 'k')).toMatchObject({ value: 'second' });
  expect(await drop(second, 'k')).toBe(true);
  expect(await readTaskState(one, second, 'l')).toMatchObject({ value: 'another' });
});

it('nothing is set or dropped where there is no such task in the namespace, or no such key', async () => {
  const taskId = await makeTask(one, { name: 'elsewhere' });
  expect(await set(taskId, 'k', 1, { db: other })).toBe(false);
  expect(await drop(taskId, 'k')).toBe(false);
  await set(taskId, 'k', 1);
  expect(await set(taskId, 'k', 2, { db: other })).toBe(false);
  expect(await drop(taskId, 'k', other)).toBe(false);
  expect(await readTaskState(one, taskId, 'k')).toEqual({ value: 1, version: 1, shape: 1 });
});

it('what a person sets and drops is noted, with the version', async () => {
  const taskId = await makeTask(one, { name: 'noted' });
  await set(taskId, 'k', 1);
  await set(taskId, 'k', 2);
  await drop(taskId, 'k');
  const noted = { subject: 'key:k', reason: 'mended' };
  expect(await audited(taskId)).toEqual([
    { ...noted, action: 'state set', version: 1 },
    { ...noted, action: 'state set', version: 2 },
    { ...noted, action: 'state drop', version: 2 },
  ]);
});

it('states are listed with who wrote them, those changed last first, then by key, or for one key', async () => {
  const [taskId, beside] = [await makeTask(one, { name: 'listed' }), await makeTask(one, { name: 'listed-beside' })];
  for (const key of ['b', 'c', 'a']) await set(taskId, key, key);
  await set(beside, 'a', 'beside');
  await one.pool.query(
    `UPDATE task_state SET updated_at = now() - CASE key WHEN 'c' THEN interval '1 h' ELSE interval '2 h' END WHERE task_id = $1`,
    [taskId],
  );
  const keys = async (asked: { key?: string; limit?: number } = {}, db = one) =>
    (await listTaskStates(db, taskId, { limit: 100, ...asked })).map(({ key }) => key);
  expect(await keys()).toEqual(['c', 'a', 'b']);
  expect(await keys({ limit: 2 })).toEqual(['c', 'a']);
  expect(await keys({ key: 'a' })).toEqual(['a']);
  expect(await keys({ key: 'd' })).toEqual([]);
  expect(await keys({}, other)).toEqual([]);
  const [first] = await listTaskStates(one, taskId, { key: 'c', limit: 1 });
  expect(first).toEqual({
    ...{ key: 'c', value: 'c', version: 1, shape: 1 },
    ...{ updatedAt: expect.any(Date), updatedBy: 'ann' },
  });
});
