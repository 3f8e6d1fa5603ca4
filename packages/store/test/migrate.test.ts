import { testDatabase } from '@escapement/testkit';
import { Pool } from 'pg';
import { expect, test } from 'vitest';
import { migrate, pendingMigrations } from '../src/index.ts';
import { migrationsDir, sql, writeMigrations } from './migrations.ts';

const FACES = {
  '20260101000000_faces': `
    CREATE TABLE face (id int);
    CREATE FUNCTION faces() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM face); END; $$;`,
  '20260102000000_hands': 'ALTER TABLE face ADD COLUMN hands int NOT NULL DEFAULT 2;',
};

test('migrations are applied in the order of their names, once', async () => {
  const { url } = await testDatabase({ empty: true });
  const dir = migrationsDir(FACES);
  const lines: string[] = [];
  const options = { migrationsDir: dir, log: (line: string) => lines.push(line) };
  expect(await migrate(url, options)).toEqual({ applied: Object.keys(FACES), already: 0 });
  expect(await migrate(url, options)).toEqual({ applied: [], already: 2 });
  writeMigrations(dir, { '20260103000000_name': 'ALTER TABLE face ADD COLUMN name text' });
  expect(await migrate(url, options)).toEqual({ applied: ['20260103000000_name'], already: 2 });
  expect(await sql(url, 'SELECT faces()')).toEqual([{ faces: '0' }]);
  expect(lines).toEqual([
    'migrated 20260101000000_faces',
    'migrated 20260102000000_hands',
    'migrated 20260103000000_name',
  ]);
});

test('processes that migrate at once do not hurt each other', async () => {
  const { url } = await testDatabase({ empty: true });
  const dir = migrationsDir({
    '1_slow': 'CREATE TABLE clock (id int); SELECT pg_sleep(1);',
    '2_more': 'ALTER TABLE clock ADD COLUMN face text',
  });
  const lines: string[] = [];
  const options = { migrationsDir: dir, log: (line: string) => lines.push(line) };
  const results = await Promise.all([1, 2, 3].map(() => migrate(url, options)));
  expect(results.map(({ applied }) => applied.length).sort()).toEqual([0, 0, 2]);
  expect(lines.filter((line) => line.startsWith('waiting'))).toHaveLength(2);
});

test('what is pending can be asked for without changing anything', async () => {
  const { url } = await testDatabase({ empty: true });
  const pool = new Pool({ connectionString: url });
  const dir = migrationsDir(FACES);
  expect(await pendingMigrations(pool, { migrationsDir: dir })).toEqual(Object.keys(FACES));
  expect(await sql(url, `SELECT to_regclass('"_prisma_migrations"') AS found`)).toEqual([{ found: null }]);
  await migrate(url, { migrationsDir: dir });
  expect(await pendingMigrations(pool, { migrationsDir: dir })).toEqual([]);
  await pool.end();
});

test('a database that a newer version has migrated is left alone', async () => {
  const { url } = await testDatabase({ empty: true });
  await migrate(url, { migrationsDir: migrationsDir(FACES) });
  const [name = '', text = ''] = Object.entries(FACES)[0] ?? [];
  expect(await migrate(url, { migrationsDir: migrationsDir({ [name]: text }) })).toEqual({ applied: [], already: 1 });
});

test('a migration that replaces others counts as applied if the last of them was; after an earlier one it is refused', async () => {
  const [first, both] = await Promise.all([testDatabase({ empty: true }), testDatabase({ empty: true })]);
  const before = { '1_a': 'CREATE TABLE a (id int)', '2_b': 'CREATE TABLE b (id int)' };
  await migrate(first.url, { migrationsDir: migrationsDir({ '1_a': before['1_a'] }) });
  await migrate(both.url, { migrationsDir: migrationsDir(before) });
  const all = '-- Replaces 2_b, and all before it.\nCREATE TABLE a (id int); CREATE TABLE b (id int);';
  const dir = migrationsDir({ '3_all': all, '4_c': 'CREATE TABLE c (id int)' });
  expect(await migrate(both.url, { migrationsDir: dir })).toEqual({ applied: ['4_c'], already: 1 });
  expect(await migrate(both.url, { migrationsDir: dir })).toEqual({ applied: [], already: 2 });
  await expect(migrate(first.url, { migrationsDir: dir })).rejects.toMatchObject({
    code: 'migration_of_another_history',
  });
});

test('line endings that git changed are no change of a migration', async () => {
  const { url } = await testDatabase({ empty: true });
  await migrate(url, { migrationsDir: migrationsDir({ '1_a': 'CREATE TABLE a (\n  id int\n);\n' }) });
  const onWindows = migrationsDir({ '1_a': 'CREATE TABLE a (\r\n  id int\r\n);\r\n' });
  expect(await migrate(url, { migrationsDir: onWindows })).toEqual({ applied: [], already: 1 });
});

test('without a folder named, it brings its own migrations', async () => {
  const { url } = await testDatabase();
  expect((await migrate(url)).applied).toEqual([]);
  expect(await sql(url, `SELECT to_regclass('task')::text AS task`)).toEqual([{ task: 'task' }]);
});
