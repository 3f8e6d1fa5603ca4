import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterFile, testDatabase } from '@escapement/testkit';
import { Pool } from 'pg';
import { expect, test } from 'vitest';
import { migrate, pendingMigrations } from '../src/index.ts';
import { migrationsDir, sql } from './migrations.ts';

/** A version of the product: its migrations and functions. */
function version(migrations: Record<string, string>, functions: Record<string, string>) {
  const functionsDir = mkdtempSync(join(tmpdir(), 'escapement-functions-'));
  afterFile(() => rmSync(functionsDir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(functions)) writeFileSync(join(functionsDir, name), text);
  return { migrationsDir: migrationsDir(migrations), functionsDir };
}

const TABLE = { '1_face': 'CREATE TABLE face (id int)' };
const hands = (count: number) =>
  `CREATE OR REPLACE FUNCTION hands() RETURNS int LANGUAGE sql AS $$ SELECT ${count} $$;`;
const emptyDatabase = async () => (await testDatabase({ empty: true })).url;

test('functions are applied after the migrations, once, and anew when they change', async () => {
  const url = await emptyDatabase();
  const pool = new Pool({ connectionString: url });
  const faces = 'CREATE OR REPLACE FUNCTION faces() RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM face $$;';
  const first = version(TABLE, { 'faces.sql': faces, 'hands.sql': hands(2) });
  expect(await pendingMigrations(pool, first)).toEqual(['1_face', 'functions/faces', 'functions/hands']);
  expect(await migrate(url, first)).toEqual({ applied: ['1_face', 'functions/faces', 'functions/hands'], already: 0 });
  expect(await migrate(url, first)).toEqual({ applied: [], already: 1 });
  const second = version(TABLE, { 'faces.sql': faces.replaceAll(' ', '\r\n '), 'hands.sql': hands(3) });
  writeFileSync(join(second.functionsDir, 'faces.sql'), faces);
  expect(await migrate(url, second)).toEqual({ applied: ['functions/hands'], already: 1 });
  expect(await sql(url, 'SELECT faces(), hands()')).toEqual([{ faces: '0', hands: 3 }]);
  expect(await pendingMigrations(pool, second)).toEqual([]);
  await pool.end();
});

test('a database that serves newer programs alone refuses this one, whatever it lacks, and changes nothing', async () => {
  const url = await emptyDatabase();
  const pool = new Pool({ connectionString: url });
  const oldest = (text: string) =>
    `CREATE OR REPLACE FUNCTION oldest_program() RETURNS text LANGUAGE sql AS $$ SELECT '${text}' $$;`;
  const now = version(TABLE, { 'oldest_program.sql': oldest('0.0.1') });
  await migrate(url, now);
  expect(await pendingMigrations(pool, now)).toEqual([]);
  const later = version(
    { ...TABLE, '2_hand': 'CREATE TABLE hand (id int)' },
    { 'oldest_program.sql': oldest('999.10.2') },
  );
  await migrate(url, later);
  const refused = {
    code: 'program_too_old',
    message: expect.stringMatching(/serves programs of version 999\.10\.2 and newer, and this one is \d+\.\d+\.\d+/),
    fix: expect.stringContaining('install 999.10.2 or newer'),
  };
  const other = version({ ...TABLE, '2_other': 'CREATE TABLE other (id int)' }, {});
  for (const mine of [now, other]) {
    await expect(pendingMigrations(pool, mine)).rejects.toMatchObject(refused);
    await expect(migrate(url, mine)).rejects.toMatchObject(refused);
  }
  expect(await sql(url, `SELECT to_regclass('other') AS other`)).toEqual([{ other: null }]);
  await pool.end();
});

test('a migration makes a trigger of a function that is new with it', async () => {
  const url = await emptyDatabase();
  const noted = version(
    {
      '1_a': 'CREATE TABLE a (id int); CREATE TRIGGER a_note BEFORE INSERT ON a FOR EACH ROW EXECUTE FUNCTION note();',
    },
    {
      'note.sql': `-- Counts on.
CREATE OR REPLACE FUNCTION "note"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v_row a%ROWTYPE;
BEGIN
  NEW.id = NEW.id + 1;
  RETURN NEW;
END $$;`,
    },
  );
  await migrate(url, noted);
  expect(await sql(url, 'INSERT INTO a VALUES (1) RETURNING id')).toEqual([{ id: 2 }]);
});

test('functions may call one another, in whatever order they are read', async () => {
  const url = await emptyDatabase();
  const a = 'CREATE OR REPLACE FUNCTION a() RETURNS int LANGUAGE sql AS $$ SELECT b() $$;';
  const b = 'CREATE OR REPLACE FUNCTION b() RETURNS int LANGUAGE sql AS $$ SELECT 7 $$;';
  await migrate(url, version({}, { 'a.sql': a, 'b.sql': b }));
  expect(await sql(url, 'SELECT a()')).toEqual([{ a: 7 }]);
});

test.each([
  [
    'other arguments',
    'CREATE OR REPLACE FUNCTION hands(p_more int) RETURNS int LANGUAGE sql AS $$ SELECT 2 + p_more $$;',
    'hands(1)',
  ],
  [
    'another result',
    `CREATE OR REPLACE FUNCTION hands() RETURNS text LANGUAGE sql AS $$ SELECT '3' $$;`,
    'hands()::int',
  ],
])('a function with %s takes the place of the old one', async (_, text, call) => {
  const url = await emptyDatabase();
  await migrate(url, version({}, { 'hands.sql': hands(2) }));
  await migrate(url, version({}, { 'hands.sql': text }));
  expect(
    await sql(url, `SELECT count(*)::int AS n, min(${call}) AS hands FROM pg_proc WHERE proname = 'hands'`),
  ).toEqual([{ n: 1, hands: 3 }]);
});

test('a process of an older version leaves a newer function alone', async () => {
  const url = await emptyDatabase();
  const old = version({}, { 'hands.sql': hands(2), 'gone.sql': hands(1).replace('hands', 'gone') });
  await migrate(url, old);
  await migrate(url, version({}, { 'hands.sql': hands(3), 'dropped.txt': 'gone\n' }));
  expect(await migrate(url, old)).toEqual({ applied: [], already: 0 });
  expect(await sql(url, `SELECT hands(), to_regproc('gone') AS gone`)).toEqual([{ hands: 3, gone: null }]);
});

test('what was dropped is dropped once, and a new database never has it', async () => {
  const url = await emptyDatabase();
  await migrate(url, version({}, { 'hands.sql': hands(2) }));
  const without = version({}, { 'dropped.txt': 'hands\n' });
  expect(await migrate(url, without)).toEqual({ applied: ['functions/hands (dropped)'], already: 0 });
  expect(await migrate(url, without)).toEqual({ applied: [], already: 0 });
  expect(await migrate(await emptyDatabase(), without)).toEqual({ applied: [], already: 0 });
});

test('a function that fails takes the last migration back with it, and says where', async () => {
  const url = await emptyDatabase();
  const bad = 'CREATE OR REPLACE FUNCTION bad() RETURNS int LANGUAGE plpgsql AS $$\nBEGIN\n  RETRUN 1;\nEND $$;';
  const failing = version({ ...TABLE, '2_b': 'CREATE TABLE b (id int)' }, { 'bad.sql': bad, 'hands.sql': hands(2) });
  await expect(migrate(url, failing)).rejects.toMatchObject({
    code: 'function_failed',
    message: expect.stringMatching(/^the function bad failed at \S+bad\.sql:\d+:\d+: syntax error/),
  });
  expect(
    await sql(url, `SELECT to_regclass('face')::text AS face, to_regclass('b') AS b, to_regproc('hands') AS hands`),
  ).toEqual([{ face: 'face', b: null, hands: null }]);
});

test('a function that a trigger needs is not dropped', async () => {
  const url = await emptyDatabase();
  const note = 'CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;';
  const made =
    'CREATE TABLE a (id int); CREATE TRIGGER a_note BEFORE INSERT ON a FOR EACH ROW EXECUTE FUNCTION note();';
  await migrate(url, version({ '1_a': made }, { 'note.sql': note }));
  await expect(migrate(url, version({ '1_a': made }, { 'dropped.txt': 'note' }))).rejects.toMatchObject({
    code: 'function_failed',
    message: expect.stringMatching(/^the function note\(\) cannot be dropped: .*depend/),
  });
});

test.each([
  ['another function than its name says', hands(2)],
  ['a second statement', `${hands(2).replace('hands', 'arms')}\nSELECT arms();`],
])('a file that holds %s is refused', async (_, text) => {
  const url = await emptyDatabase();
  await expect(migrate(url, version({}, { 'arms.sql': text }))).rejects.toMatchObject({
    code: 'function_misnamed',
  });
});

test('processes that migrate at once do not hurt each other', async () => {
  const url = await emptyDatabase();
  const options = version(TABLE, { 'hands.sql': hands(2) });
  const results = await Promise.all([1, 2, 3].map(() => migrate(url, options)));
  expect(results.map(({ applied }) => applied.length).sort()).toEqual([0, 0, 2]);
});
