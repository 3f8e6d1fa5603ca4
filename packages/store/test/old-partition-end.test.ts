import { DAY } from '@escapement/core';
import { beginWeeksAt, testDatabase } from '@escapement/testkit';
import { afterAll, expect, test } from 'vitest';
import { ensurePartitions, openDatabase } from '../src/index.ts';
import { ago } from './ledger.ts';

const { url } = await testDatabase();
await beginWeeksAt(url, ago(80 * DAY));
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());
await ensurePartitions(db, ago(80 * DAY), 80);

/** When it ends, or why it may not go. */
async function endOf(table: string, name: string, attached: boolean): Promise<Date | string> {
  try {
    const { rows } = await db.pool.query<{ end: Date }>('SELECT old_partition_end($1, $2, $3) AS end', [
      table,
      name,
      attached,
    ]);
    return rows[0]?.end ?? 'no row';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const refusal = (table: string, name: string) => `'${name}' is no partition of '${table}' that may go`;

/** The partitions of runs by their beginnings, the oldest first. */
async function weeks(): Promise<{ name: string; to: Date }[]> {
  const { rows } = await db.pool.query<{ name: string; to: Date }>(
    `SELECT p.name, p.to_at AS to FROM partitions_of('run') p WHERE p.name ~ '_p[0-9]{8}$' ORDER BY p.name`,
  );
  return rows;
}

test('of partitions that belong to the table, the one of that name is meant', async () => {
  const [first, second] = await weeks();
  expect(await endOf('run', first?.name ?? '', true)).toEqual(first?.to);
  expect(await endOf('run', second?.name ?? '', true)).toEqual(second?.to);
  expect(await endOf('run', 'run_p19990101', true)).toBe(refusal('run', 'run_p19990101'));
});

test('one that belongs to the table has not been taken out of it', async () => {
  const [first] = await weeks();
  expect(await endOf('run', first?.name ?? '', false)).toBe(refusal('run', first?.name ?? ''));
});

test('one that was taken out is a table of this schema, by the name of a partition', async () => {
  await db.pool.query(`CREATE TABLE run_p20200106 (); CREATE TABLE run_p20200113 (); CREATE TABLE run_of_2020 (); CREATE TABLE xrun_p20200106 ();
    CREATE VIEW run_p20200120 AS SELECT 1; CREATE SCHEMA elsewhere; CREATE TABLE elsewhere.run_p20200127 ()`);
  expect(await endOf('run', 'run_p20200106', false)).toEqual(new Date('2020-01-13T00:00:00Z'));
  expect(await endOf('run', 'run_p20200113', false)).toEqual(new Date('2020-01-20T00:00:00Z'));
  for (const other of ['run_of_2020', 'xrun_p20200106', 'run_p20200120', 'run_p20200127', 'task'])
    expect(await endOf('run', other, false)).toBe(refusal('run', other));
});

test('one whose time is not over yet stays, wherever it belongs', async () => {
  const name = 'run_p29990107';
  await db.pool.query(`CREATE TABLE ${name} ()`);
  expect(await endOf('run', name, false)).toBe(refusal('run', name));
  const newest = (await weeks()).findLast(({ name: week }) => week !== name);
  expect(await endOf('run', newest?.name ?? '', true)).toBe(refusal('run', newest?.name ?? ''));
});
