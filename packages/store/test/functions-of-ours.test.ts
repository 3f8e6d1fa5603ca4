import { readdirSync, readFileSync } from 'node:fs';
import { testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { sql } from './migrations.ts';

const dir = new URL('../../../prisma/functions/', import.meta.url);
const files = readdirSync(dir).filter((name) => name.endsWith('.sql'));

test('each function of the database is a file of prisma/functions, and each file one function', async () => {
  const { url } = await testDatabase();
  const made = (await sql(
    url,
    `SELECT proname || '.sql' AS file FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
  )) as { file: string }[];
  expect(made.map(({ file }) => file).sort()).toEqual(files.sort());
});

test.each(files)('%s defines the function of its name, and says what it does', (file) => {
  const text = readFileSync(new URL(file, dir), 'utf8');
  const defined = [...text.matchAll(/^\s*CREATE\b.*\bFUNCTION\s+"?(\w+)"?/gim)].map(([, name]) => `${name}.sql`);
  expect(defined).toEqual([file]);
  expect(text).toMatch(/^-- \S/);
});
