import { by, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { formerNames, openDatabase } from '../src/index.ts';
import { deleteNow, makeTask } from './ledger.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([db.close(), other.close()]));

it('a former name leads to what the task is called now, unless a task has that name now', async () => {
  const id = await makeTask(db, { name: 'now' });
  const formerly = (...names: string[]) =>
    db.pool.query('UPDATE task SET former_names = $2 WHERE id = $1', [id, names]);
  await formerly('before', 'taken');
  await makeTask(db, { name: 'taken' });
  await makeTask(other, { name: 'before' });
  expect(await formerNames(db)).toEqual(new Map([['before', 'now']]));
  expect(await formerNames(other)).toEqual(new Map());
  await deleteNow(db, 'taken', by('test'));
  expect(await formerNames(db)).toEqual(
    new Map([
      ['before', 'now'],
      ['taken', 'now'],
    ]),
  );
  expect(await formerNames(db, ['taken', 'now', 'never'])).toEqual(new Map([['taken', 'now']]));
  await deleteNow(db, 'now', by('test'));
  expect(await formerNames(db)).toEqual(new Map());
});
