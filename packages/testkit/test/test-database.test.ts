import pg from 'pg';
import { expect, test } from 'vitest';
import { testDatabase } from '../src/index.ts';

const [first, second] = await Promise.all([testDatabase(), testDatabase()]);
const empty = await testDatabase({ empty: true });

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

test('each call gets a migrated database of its own', async () => {
  expect(first.name).not.toBe(second.name);
  await query(first.url, 'CREATE TABLE only_here (id int)');
  expect(
    await query(second.url, "SELECT to_regclass('only_here')::text AS found, to_regclass('task')::text AS task"),
  ).toEqual([{ found: null, task: 'task' }]);
});

test('a copy has what was in the other database', async () => {
  await query(second.url, 'CREATE TABLE copied AS SELECT 1 AS id');
  const copy = await testDatabase({ copyOf: second });
  await query(copy.url, 'INSERT INTO copied VALUES (2)');
  expect(await query(copy.url, 'SELECT id FROM copied ORDER BY 1')).toEqual([{ id: 1 }, { id: 2 }]);
  expect(await query(second.url, 'SELECT id FROM copied')).toEqual([{ id: 1 }]);
});

test('an empty one has no table', async () => {
  expect(await query(empty.url, "SELECT to_regclass('task')::text AS task")).toEqual([{ task: null }]);
});

test('the server runs in an odd time zone, so that sessions that rely on UTC show', async () => {
  expect(await query(first.url, 'SHOW timezone')).toEqual([{ TimeZone: 'Asia/Kolkata' }]);
});
