import { afterAll, expect, it } from 'vitest';
import { createDefinitions, editedVersions, taskHistory } from '../src/index.ts';
import { makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

/** A task with so many versions; a person has made some of them. */
async function versions(name: string, count: number, edited: readonly number[] = []): Promise<string> {
  const id = await makeTask(one, { name });
  await one.pool.query(
    `INSERT INTO task_version (task_id, version, definition, source, created_by, saver_kind, saver_id, note)
     SELECT v.task_id, n, v.definition, 'cli', 'ann', 'cli', 'ann', 'note ' || n FROM task_version v, generate_series(2, $2) n WHERE v.task_id = $1`,
    [id, count],
  );
  await one.pool.query('UPDATE task SET version = $2 WHERE id = $1', [id, count]);
  await one.pool.query('UPDATE task_version SET edited = version = ANY ($2) WHERE task_id = $1', [id, edited]);
  return id;
}

const editedOf = async (id: string, limit: number, db = one) =>
  (await editedVersions(db, id, limit)).map(({ version, edited }) => [version, edited]);

it('the last versions are told, the newest first, where a person has edited the task by one of them', async () => {
  const id = await versions('edited', 5, [3]);
  await versions('edited-beside', 5, [5]);
  expect(await editedOf(id, 3)).toEqual([
    [5, false],
    [4, false],
    [3, true],
  ]);
  expect(await editedOf(id, 2)).toEqual([]);
  expect(await editedOf(id, 100)).toHaveLength(5);
  expect(await editedOf(id, 3, other)).toEqual([]);
  expect(await editedOf(await versions('not-edited', 3), 3)).toEqual([]);
});

it('all versions of a task are told, the newest first, of a deleted one too', async () => {
  await versions('told', 3);
  await versions('told-beside', 2);
  await one.pool.query(`UPDATE task SET deleted_at = now() WHERE name = 'told'`);
  const history = await taskHistory(one, 'told');
  expect(history.map(({ version, note }) => [version, note])).toEqual([
    [3, 'note 3'],
    [2, 'note 2'],
    [1, null],
  ]);
  expect(history[0]).toMatchObject({ savedBy: 'ann', source: 'cli', definition: { name: 'told' } });
  expect(await taskHistory(other, 'told')).toEqual([]);
  expect(await taskHistory(one, 'nobody')).toEqual([]);
});

it('a version is read once', async () => {
  const id = await versions('once', 2);
  const definitions = createDefinitions(one);
  expect(await definitions.get(id, 1)).toMatchObject({ name: 'once', savedBy: { name: 'test' } });
  await one.pool.query(`UPDATE task_version SET created_by = 'eve' WHERE task_id = $1`, [id]);
  expect(await definitions.get(id, 1)).toMatchObject({ savedBy: { name: 'test' } });
  expect(await definitions.get(id, 2)).toMatchObject({ savedBy: { name: 'eve' } });
  expect(await createDefinitions(one).get(id, 1)).toMatchObject({ savedBy: { name: 'eve' } });
});

it('a version that is not there is an error, and is asked for anew', async () => {
  const id = await versions('later', 1);
  const definitions = createDefinitions(one);
  const missing = { code: 'unknown_task_version' };
  await expect(definitions.get(id, 2)).rejects.toMatchObject(missing);
  await one.pool.query(
    `INSERT INTO task_version (task_id, version, definition, source, created_by, saver_kind, saver_id)
     SELECT task_id, 2, definition, source, 'ann', 'cli', 'ann' FROM task_version WHERE task_id = $1`,
    [id],
  );
  expect(await definitions.get(id, 2)).toMatchObject({ savedBy: { name: 'ann' } });
});

it('the last 10000 versions asked for are kept, the first of them goes for the next', async () => {
  const id = await versions('many', 10_002);
  const definitions = createDefinitions(one);
  const get = (version: number) => definitions.get(id, version);
  await Promise.all(Array.from({ length: 10_000 }, (_, index) => get(index + 1)));
  await one.pool.query(`UPDATE task_version SET created_by = 'eve' WHERE task_id = $1`, [id]);
  expect(await get(1)).toMatchObject({ savedBy: { name: 'test' } });
  await get(10_001);
  // Each that is read anew takes the place of the oldest.
  expect(await get(2)).toMatchObject({ savedBy: { name: 'ann' } });
  expect(await get(1)).toMatchObject({ savedBy: { name: 'eve' } });
  expect(await get(2)).toMatchObject({ savedBy: { name: 'eve' } });
});
