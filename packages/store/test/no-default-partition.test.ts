import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterFile, testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { migrate } from '../src/index.ts';
import { sql } from './migrations.ts';

const ALL = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
const THIS = '20261122020000_no_default_partition';

/** The migrations before this one. */
function migrationsBefore(): string {
  const dir = mkdtempSync(join(tmpdir(), 'escapement-migrations-'));
  afterFile(() => rmSync(dir, { recursive: true, force: true }));
  for (const name of readdirSync(ALL).filter((each) => each < THIS))
    cpSync(join(ALL, name), join(dir, name), { recursive: true });
  return dir;
}

const RUN = `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap,
  pool, due_at, finished_at)
  SELECT gen_random_uuid(), at, 'default', gen_random_uuid(), 1, 1, 'trigger', 'skipped', 'x', 'k', 1, 'skip', 'default', at, at`;

test('what lies in a default partition moves to weeks and days of its own, and to what is older than all of them', async () => {
  const { url } = await testDatabase({ empty: true });
  await migrate(url, { migrationsDir: migrationsBefore() });
  const week = new Date(Math.floor(Date.UTC(2026, 8, 3) / 604_800_000) * 604_800_000).toISOString().slice(0, 10);
  await sql(url, `SELECT ensure_partition('run', 'scheduled_for', 'run_p20260903', '${week}', '2026-09-10')`);
  await sql(
    url,
    `${RUN} FROM (VALUES ('2020-01-01'::timestamptz), ('2026-09-04'), (now()), ('2099-01-01')) AS v(at);
     INSERT INTO attempt (run_id, scheduled_for, attempt, outcome) SELECT id, scheduled_for, 1, 'failed' FROM run;
     INSERT INTO run_log_chunk (run_id, attempt, seq, written_at, text) SELECT id, 1, 1, scheduled_for, 'x' FROM run`,
  );
  await migrate(url);
  const places = async (table: string, at: string) =>
    (await sql(url, `SELECT tableoid::regclass::text AS name FROM ${table} ORDER BY ${at}`)) as { name: string }[];
  const runs = (await places('run', 'scheduled_for')).map(({ name }) => name);
  expect(runs).toEqual(['run_old', 'run_p20260903', expect.stringMatching(/^run_p20\d{6}$/), 'run_p20990101']);
  expect((await places('attempt', 'scheduled_for')).map(({ name }) => name)).toHaveLength(4);
  expect((await places('run_log_chunk', 'written_at')).map(({ name }) => name)[0]).toBe('run_log_chunk_p20200101');
  expect(await sql(url, 'SELECT FROM follow_up')).toEqual([]);
  expect(await sql(url, `SELECT FROM pg_class WHERE relname LIKE '%\\_default'`)).toEqual([]);
});
