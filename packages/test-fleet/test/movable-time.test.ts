import { testDatabase } from '@escapement/testkit';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OTHER_TIMES } from '../src/movable-time.ts';

const client = new pg.Client({ connectionString: (await testDatabase()).url });
beforeAll(() => client.connect());
afterAll(() => client.end());

async function names(query: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(query, [OTHER_TIMES.replaceAll('\\b', '\\y')]);
  return rows.map(({ name }) => name);
}

test('functions of the database ask for the time by now() and clock_timestamp(), which a test fleet can move', async () => {
  const ours = `FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c')`;
  expect((await names(`SELECT proname AS name ${ours} AND $1 <> ''`)).length).toBeGreaterThan(10);
  expect(await names(`SELECT proname AS name ${ours} AND prosrc ~* $1`)).toEqual([]);
});

test('so do the defaults of columns', async () => {
  expect(
    await names(`SELECT adrelid::regclass::text AS name FROM pg_attrdef WHERE pg_get_expr(adbin, adrelid) ~* $1`),
  ).toEqual([]);
});
