import { randomUUID } from 'node:crypto';
import { parseSelector } from '@escapement/core/rights';
import { afterAll, expect, it } from 'vitest';
import {
  disagreeingLimit,
  disagreeingRate,
  findTask,
  findTaskById,
  listTasks,
  listTasksById,
  taskNameOf,
  taskVersions,
} from '../src/index.ts';
import { MINUTE, makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const setTask = (id: string, columns: string, ...values: unknown[]) =>
  one.pool.query(`UPDATE task SET ${columns} WHERE id = $1`, [id, ...values]);

async function makeDeleted(name: string): Promise<string> {
  const id = await makeTask(one, { name });
  await setTask(id, 'deleted_at = now()');
  return id;
}

it('a task is found by its name or id in the namespace, unless it is deleted', async () => {
  const [id, deleted] = [await makeTask(one, { name: 'found' }), await makeDeleted('deleted')];
  expect(await findTask(one, 'found')).toMatchObject({ id, name: 'found', pauses: [], handovers: [], planError: null });
  expect(await findTaskById(one, id)).toEqual(await findTask(one, 'found'));
  for (const none of [
    await findTask(one, 'deleted'),
    await findTask(one, 'nobody'),
    await findTask(other, 'found'),
    await findTaskById(one, deleted),
    await findTaskById(one, randomUUID()),
    await findTaskById(other, id),
  ])
    expect(none).toBeNull();
});

it('the name of a task is told by its id, of a deleted one too', async () => {
  expect(await taskNameOf(one, await makeDeleted('named'))).toBe('named');
  expect(await taskNameOf(other, await makeTask(one, { name: 'named-too' }))).toBeNull();
  expect(await taskNameOf(one, randomUUID())).toBeNull();
});

it('tasks of ids come in that order, without those that are not there', async () => {
  const ids = [await makeTask(one, { name: 'id-1' }), await makeTask(one, { name: 'id-2' }), await makeDeleted('id-3')];
  const names = async (asked: readonly string[], db = one) => (await listTasksById(db, asked)).map(({ name }) => name);
  expect(await names(ids)).toEqual(['id-1', 'id-2']);
  expect(await names([randomUUID(), ...ids.toReversed()])).toEqual(['id-2', 'id-1']);
  expect(await names(ids, other)).toEqual([]);
});

it('tasks are listed by name, or those of a filter, all bounds together', async () => {
  await makeTask(one, { name: 'list-c', pool: 'night', labels: { team: 'a' } });
  await makeTask(one, { name: 'list-a', labels: { team: 'a' } });
  await setTask(await makeTask(one, { name: 'list_b', pool: 'night' }), `source = 'code'`);
  await makeDeleted('list-d');
  const names = async (filter: Parameters<typeof listTasks>[1], db = one) =>
    (await listTasks(db, filter)).map(({ name }) => name);
  const all = await names({});
  expect(all).toEqual(all.toSorted());
  expect(all).toEqual(expect.arrayContaining(['list-a', 'list-c', 'list_b']));
  expect(all).not.toContain('list-d');
  expect(await names(undefined)).toEqual(all);
  expect(await names({ name: 'list*' })).toEqual(['list-a', 'list-c', 'list_b'].toSorted());
  expect(await names({ name: 'list_?' })).toEqual(['list_b']);
  expect(await names({ source: 'code' })).toEqual(['list_b']);
  expect(await names({ pool: 'night' })).toEqual(['list-c', 'list_b'].toSorted());
  const labels = parseSelector('team=a');
  expect(await names({ labels })).toEqual(['list-a', 'list-c']);
  expect(await names({ labels, pool: 'night' })).toEqual(['list-c']);
  expect(await names({ labels, pool: 'night', source: 'code' })).toEqual([]);
  expect(await names({}, other)).toEqual([]);
});

it('definitions are told in the order asked, each of its version and task', async () => {
  const [first, second] = [await makeTask(one, { name: 'version-1' }), await makeTask(one, { name: 'version-2' })];
  await one.pool.query(
    `INSERT INTO task_version (task_id, version, definition, source, created_by, saver_kind, saver_id)
     SELECT task_id, 2, definition || '{"description": "the second"}', source, 'bob', 'token', 'token-1' FROM task_version WHERE task_id = $1`,
    [first],
  );
  const asked = [
    { taskId: second, version: 1 },
    { taskId: first, version: 2 },
    { taskId: first, version: 3 },
    { taskId: first, version: 1 },
  ];
  const found = await taskVersions(one, asked);
  const savedBy = { kind: 'cli', id: 'test', name: 'test' };
  expect(found).toMatchObject([
    { name: 'version-2', savedBy },
    { name: 'version-1', savedBy: { kind: 'token', id: 'token-1', name: 'bob' } },
    null,
    { name: 'version-1', savedBy },
  ]);
  expect(found.map((version) => version?.definition.description)).toEqual([
    undefined,
    'the second',
    undefined,
    undefined,
  ]);
  expect(await taskVersions(other, asked)).toEqual([null, null, null, null]);
});

it('another task that uses the same key with another limit is told', async () => {
  await makeTask(one, { name: 'limited', key: 'printer', limit: 2 });
  const asked = { names: ['asker'], keyTemplate: 'printer', limit: 1 };
  expect(await disagreeingLimit(one, asked)).toEqual({ name: 'limited', limit: 2 });
  for (const [db, more] of [
    [one, { limit: 2 }],
    [one, { keyTemplate: 'scanner' }],
    [one, { names: ['asker', 'limited'] }],
    [other, {}],
  ] as const)
    expect(await disagreeingLimit(db, { ...asked, ...more })).toBeNull();
  await one.pool.query(`UPDATE task SET deleted_at = now() WHERE name = 'limited'`);
  expect(await disagreeingLimit(one, asked)).toBeNull();
});

it('another task that counts under the same key by another rate is told', async () => {
  const id = await makeTask(one, { name: 'rated', rate: { key: 'mails', limit: 10, perMs: MINUTE } });
  const asked = { names: ['asker'], rateKey: 'mails', limit: 10, perMs: 2 * MINUTE };
  const told = { name: 'rated', limit: 10, perMs: MINUTE };
  expect(await disagreeingRate(one, asked)).toEqual(told);
  expect(await disagreeingRate(one, { ...asked, limit: 9, perMs: MINUTE })).toEqual(told);
  for (const [db, more] of [
    [one, { perMs: MINUTE }],
    [one, { rateKey: 'calls' }],
    [one, { names: ['asker', 'rated'] }],
    [other, {}],
  ] as const)
    expect(await disagreeingRate(db, { ...asked, ...more })).toBeNull();
  await setTask(id, 'deleted_at = now()');
  expect(await disagreeingRate(one, asked)).toBeNull();
});
