import { join } from 'node:path';
import { testDatabase } from '@escapement/testkit';
import { Pool } from 'pg';
import { expect, test } from 'vitest';
import { migrate, pendingMigrations } from '../src/index.ts';
import { migrationsDir, sql, writeMigrations } from './migrations.ts';

test('a failed migration names file, line, column and what Postgres says, and leaves nothing of itself', async () => {
  const { url } = await testDatabase({ empty: true });
  const dir = migrationsDir({
    '1_good': 'CREATE TABLE good (id int)',
    '2_bad': "CREATE TABLE bad (id int);\nINSERT INTO bad VALUES ('ä;');\n",
  });
  await expect(migrate(url, { migrationsDir: dir })).rejects.toMatchObject({
    code: 'migration_failed',
    message: `the migration 2_bad failed at ${join(dir, '2_bad', 'migration.sql')}:2:25: invalid input syntax for type integer: "ä;" (22P02)`,
    fix: 'nothing of it was kept: correct the cause and migrate again',
  });
  expect(await sql(url, `SELECT to_regclass('good') IS NULL AS good, to_regclass('bad') IS NULL AS bad`)).toEqual([
    { good: false, bad: true },
  ]);
  writeMigrations(dir, { '2_bad': 'CREATE TABLE bad (id int);' });
  expect(await migrate(url, { migrationsDir: dir })).toEqual({ applied: ['2_bad'], already: 1 });
  expect(
    await sql(
      url,
      `SELECT finished_at IS NULL AS failed, rolled_back_at IS NULL AS kept, logs IS NOT NULL AS told
                    FROM "_prisma_migrations" WHERE migration_name = '2_bad' ORDER BY started_at`,
    ),
  ).toEqual([
    { failed: true, kept: false, told: true },
    { failed: false, kept: true, told: false },
  ]);
});

test('where Postgres gives no position, the statement is named', async () => {
  const { url } = await testDatabase({ empty: true });
  const dir = migrationsDir({
    '1_twice': 'CREATE TABLE a (id int);\n\n-- again\n  CREATE TABLE a (id int);\nCREATE TABLE b (id int);',
  });
  await expect(migrate(url, { migrationsDir: dir })).rejects.toThrow(
    'migration.sql:4:3: relation "a" already exists (42P07)',
  );
});

test('a migration that changed after it was applied is refused', async () => {
  const { url } = await testDatabase({ empty: true });
  const dir = migrationsDir({ '1_a': 'CREATE TABLE a (id int)' });
  await migrate(url, { migrationsDir: dir });
  writeMigrations(dir, { '1_a': 'CREATE TABLE a (id bigint)', '2_b': 'CREATE TABLE b (id int)' });
  await expect(migrate(url, { migrationsDir: dir })).rejects.toMatchObject({
    code: 'migration_changed',
    message: 'the migration 1_a was changed after it was applied',
  });
  const pool = new Pool({ connectionString: url });
  await expect(pendingMigrations(pool, { migrationsDir: dir })).rejects.toMatchObject({ code: 'migration_changed' });
  await pool.end();
});

test('one that Prisma began and never ended waits for a person', async () => {
  const { url } = await testDatabase({ empty: true });
  const dir = migrationsDir({ '1_a': 'CREATE TABLE a (id int)' });
  await migrate(url, { migrationsDir: dir });
  await sql(url, `UPDATE "_prisma_migrations" SET finished_at = NULL, logs = 'disk full'`);
  await expect(migrate(url, { migrationsDir: dir })).rejects.toMatchObject({
    code: 'migration_unfinished',
    message: 'the migration 1_a was begun and never ended: disk full',
  });
});

test('a folder without its file, and no folder at all, are named', async () => {
  const { url } = await testDatabase({ empty: true });
  const dir = migrationsDir({ '1_a/empty': '' });
  await expect(migrate(url, { migrationsDir: dir })).rejects.toMatchObject({ code: 'migration_missing' });
  await expect(migrate(url, { migrationsDir: join(dir, 'none') })).rejects.toMatchObject({ code: 'no_migrations' });
});

test('a database that other migrations have made is refused, and not taken for an empty one', async () => {
  const { url } = await testDatabase({ empty: true });
  await migrate(url, { migrationsDir: migrationsDir({ '1_tasks': 'CREATE TABLE task (id int)' }) });
  const dir = migrationsDir({ '2_init': 'CREATE TABLE task (id int)', '3_more': 'CREATE TABLE more (id int)' });
  await expect(migrate(url, { migrationsDir: dir })).rejects.toMatchObject({
    code: 'migration_of_another_history',
    message: 'the database was migrated by 1_tasks, and never by 2_init, with which this version begins',
    fix: 'use an empty database; a development database can be made anew: delete the folder .escapement',
  });
});
