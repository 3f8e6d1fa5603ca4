import { by, testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { followedTasks, openDatabase, targetTasks, taskNames } from '../src/index.ts';
import { deleteNow, makeTask } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

beforeEach(() => one.pool.query('DELETE FROM task'));

const ANN = by('ann');

const formerly = (id: string, ...names: string[]) =>
  one.pool.query('UPDATE task SET former_names = $2 WHERE id = $1', [id, names]);

/** The ids of the tasks that have these names. */
async function idsOf(names: readonly string[], db = one): Promise<Record<string, string>> {
  return Object.fromEntries([...(await targetTasks(db, names))].map(([name, { id }]) => [name, id]));
}

it('a task is found by its name, with what a run of it is made from', async () => {
  const id = await makeTask(one, { name: 'target', key: 'to {{payload.to}}', payload: { to: 'a' } });
  await makeTask(one, { name: 'beside' });
  expect(await targetTasks(one, ['target'])).toEqual(
    new Map([
      [
        'target',
        {
          id,
          name: 'target',
          version: 1,
          keyTemplate: 'to {{payload.to}}',
          payload: { to: 'a' },
          onEveryWorker: false,
        },
      ],
    ]),
  );
});

it('a payload that is null is one, and a task may have none', async () => {
  await makeTask(one, { name: 'null', payload: null });
  await makeTask(one, { name: 'none' });
  const found = await targetTasks(one, ['null', 'none']);
  expect(found.get('null')).toMatchObject({ payload: null });
  expect(found.get('none')).toMatchObject({ payload: undefined });
});

it('a task that runs on every worker says so', async () => {
  const id = await makeTask(one, { name: 'spread' });
  await one.pool.query(`UPDATE task SET rules = rules || '{"runOn": {}}' WHERE id = $1`, [id]);
  expect((await targetTasks(one, ['spread'])).get('spread')).toMatchObject({ onEveryWorker: true });
});

it('a task that was deleted is not there, nor is one of another namespace', async () => {
  await makeTask(one, { name: 'deleted' });
  await deleteNow(one, 'deleted', ANN);
  await makeTask(other, { name: 'theirs' });
  expect(await idsOf(['deleted', 'theirs'])).toEqual({});
});

it('a task is found by a name that it had, beside one that has the name asked for', async () => {
  const renamed = await makeTask(one, { name: 'now' });
  await formerly(renamed, 'before', 'long-before');
  const id = await makeTask(one, { name: 'plain' });
  expect(await idsOf(['plain'])).toEqual({ plain: id });
  expect(await idsOf(['before'])).toEqual({ before: renamed });
  expect(await idsOf(['plain', 'before', 'long-before', 'never'])).toEqual({
    plain: id,
    before: renamed,
    'long-before': renamed,
  });
  expect(await idsOf(['never'])).toEqual({});
});

it('names the tasks of its namespace, by name', async () => {
  for (const name of ['b', 'gone', 'a']) await makeTask(one, { name });
  await deleteNow(one, 'gone', ANN);
  await makeTask(other, { name: 'theirs' });
  expect(await taskNames(one)).toEqual(['a', 'b']);
});

it('tells the tasks that others follow, and who does', async () => {
  await makeTask(one, { name: 'plain' });
  await makeTask(one, { name: 'chained', then: [{ task: 'plain' }] });
  await makeTask(one, { name: 'heard', onFailure: 'plain' });
  await makeTask(one, { name: 'gone', then: [{ task: 'plain' }] });
  await deleteNow(one, 'gone', ANN);
  await makeTask(other, { name: 'theirs', then: [{ task: 'plain' }] });
  const followed = await followedTasks(one);
  expect(followed.map(({ name }) => name).sort()).toEqual(['chained', 'heard']);
  expect(followed.find(({ name }) => name === 'chained')).toMatchObject({ then: [{ task: 'plain' }], onFailure: null });
  expect(followed.find(({ name }) => name === 'heard')).toMatchObject({ then: null, onFailure: 'plain' });
});
