import { readFile } from 'node:fs/promises';
import { testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { schemaDiff } from '../../../scripts/database/schema-diff.ts';
import { sql } from './migrations.ts';

const schema = await readFile(new URL('../../../prisma/schema.prisma', import.meta.url), 'utf8');
const [migrated, modelled] = await Promise.all([testDatabase(), testDatabase({ empty: true })]);
await sql(modelled.url, await schemaDiff(undefined, schema));

/** What schema.prisma says of columns. Prisma cannot say NOT NULL of a list, and takes an identity for a default. */
async function columns(url: string): Promise<Map<string, string>> {
  const rows = (await sql(
    url,
    `SELECT table_name || '.' || column_name AS name, udt_name || coalesce('(' || datetime_precision || ')', '')
        || CASE WHEN data_type = 'ARRAY' THEN '' WHEN is_nullable = 'YES' THEN ' NULL' ELSE ' NOT NULL' END
        || CASE WHEN column_default IS NULL AND is_identity = 'NO' THEN '' ELSE ' DEFAULT' END AS type
     FROM information_schema.columns WHERE table_schema = 'public'`,
  )) as { name: string; type: string }[];
  return new Map(rows.map(({ name, type }) => [name, type]));
}

test('each column of schema.prisma is what the migrations make it', async () => {
  const made = await columns(migrated.url);
  const wrong = [...(await columns(modelled.url))].filter(([name, type]) => made.get(name) !== type);
  expect(wrong.map(([name, type]) => `${name}: schema.prisma ${type}, migrations ${made.get(name)}`)).toEqual([]);
});

test('each column of a modelled table is in schema.prisma', async () => {
  const modelledColumns = await columns(modelled.url);
  const tables = new Set([...modelledColumns.keys()].map((name) => name.split('.')[0]));
  const made = [...(await columns(migrated.url)).keys()].filter((name) => tables.has(name.split('.')[0]));
  expect(made.filter((name) => !modelledColumns.has(name))).toEqual([]);
});

test('the view of all runs has each column of theirs: a migration that adds one makes the view again', async () => {
  const columnsOf = async (relation: string) =>
    await sql(
      migrated.url,
      `SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '${relation}' ORDER BY ordinal_position`,
    );
  expect(await columnsOf('any_run')).toEqual(await columnsOf('run'));
});
