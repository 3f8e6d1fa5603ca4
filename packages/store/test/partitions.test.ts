import { randomUUID } from 'node:crypto';
import { DAY } from '@escapement/core';
import { afterFile, testDatabase } from '@escapement/testkit';
import { expect, test, vi } from 'vitest';
import { ensurePartitions, openDatabase } from '../src/index.ts';

const { url } = await testDatabase();
const databases = Array.from({ length: 4 }, () => openDatabase({ url, applicationName: 'test' }));
afterFile(() => Promise.all(databases.map((db) => db.close())));

test('schedulers that start at the same moment make each partition once', async () => {
  for (let week = 0; week < 20; week++) {
    const now = new Date(Date.UTC(2030, 0, 3) + week * 28 * DAY);
    const made = (await Promise.all(databases.map((db) => ensurePartitions(db, now, 21)))).flat();
    expect(made.length).toBeGreaterThan(20);
    expect(new Set(made).size).toBe(made.length);
  }
});

test('a row that arrives in the default partition meanwhile does not keep a partition from being made', async () => {
  const [one, two] = databases;
  if (!one || !two) throw new Error('no databases');
  const at = new Date(Date.UTC(2040, 0, 5));
  const writer = await one.pool.connect();
  await writer.query('BEGIN');
  await writer.query(`INSERT INTO run_log_chunk (run_id, attempt, seq, written_at, text) VALUES ($1, 1, 1, $2, 'x')`, [
    randomUUID(),
    at,
  ]);
  const making = ensurePartitions(two, at, 0);
  await vi.waitFor(async () => {
    const { rows } = await one.pool.query(
      `SELECT FROM pg_locks WHERE NOT granted AND relation = 'run_log_chunk_default'::regclass`,
    );
    expect(rows).toHaveLength(1);
  });
  await writer.query('COMMIT');
  writer.release();
  expect(await making).toContain('run_log_chunk_p20400105');
  const { rows } = await one.pool.query('SELECT text FROM run_log_chunk_p20400105');
  expect(rows).toEqual([{ text: 'x' }]);
});
