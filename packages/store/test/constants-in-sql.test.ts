import { KEPT_DAYS, MOST_KEPT_DAYS, RESERVATION_MS } from '@escapement/core';
import { afterAll, expect, test } from 'vitest';
import { makeTask, twoProcesses } from './ledger.ts';

// A function of the database cannot import a constant.

const processes = await twoProcesses();
const { one: db } = processes;
afterAll(() => processes.close());

async function selected(sql: string): Promise<unknown> {
  const { rows } = await db.pool.query<{ value: unknown }>(`SELECT ${sql} AS value`);
  return rows[0]?.value;
}

test('a reservation takes RESERVATION_MS in SQL too', async () => {
  expect(await selected('(extract(epoch FROM reservation()) * 1000)::integer')).toBe(RESERVATION_MS);
});

test('runs are kept for KEPT_DAYS at least and MOST_KEPT_DAYS at most in SQL too', async () => {
  expect(await selected('keep_days()')).toBe(KEPT_DAYS);
  const id = await makeTask(db, { name: 'kept' });
  await db.pool.query(`UPDATE task SET definition = definition || '{"retentionDays": 100000}' WHERE id = $1`, [id]);
  expect(await selected('keep_days()')).toBe(MOST_KEPT_DAYS);
});
