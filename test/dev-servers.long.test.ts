import { saveTask } from '@escapement/operations';
import { migrate, openDatabase } from '@escapement/store';
import { afterFile, by, migrateWithRoles, spawnNode } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { dataFolder, readNote, startElsewhere } from '../packages/servers/test/owner.ts';

test('a fleet goes on after its Postgres and its Redis were killed, and no occurrence is lost', async () => {
  const dataDir = await dataFolder();
  const { databaseUrl, redisUrl, process: owner } = await startElsewhere(dataDir);
  await migrate(databaseUrl, { createDatabase: true });
  await migrateWithRoles(databaseUrl);
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ESCAPEMENT_HEALTH_PORT: 'off',
    ESCAPEMENT_ALLOW_SHELL: 'true',
  };
  const scheduler = spawnNode(new URL('../apps/scheduler/src/main.ts', import.meta.url), { env });
  await scheduler.waitForLine('scheduler is running', 45_000);
  const worker = spawnNode(new URL('../apps/worker/src/main.ts', import.meta.url), { env });
  await worker.waitForLine('worker is running', 45_000);
  const db = openDatabase({ url: databaseUrl, applicationName: 'test' });
  afterFile(() => db.close());
  const handler = { type: 'shell', command: 'true' } as const;
  const action = { by: by('test'), source: 'test' };
  await saveTask(db, { name: 'often', schedule: { kind: 'every', everyMs: 1000 }, handler }, action);

  const succeededSince = async (since: Date) => {
    const { rows } = await db.pool.query(
      "SELECT 1 FROM run WHERE state = 'succeeded' AND origin = 'schedule' AND scheduled_for > $1",
      [since],
    );
    return rows.length;
  };
  const now = async (): Promise<Date> => (await db.pool.query('SELECT now()')).rows[0].now;
  await expect.poll(() => succeededSince(new Date(0)), { timeout: 60_000 }).toBeGreaterThan(0);
  for (const [server, title] of [
    ['postgres', 'Postgres'],
    ['redis', 'Redis'],
  ] as const) {
    process.kill((await readNote(dataDir, server)).serverPid, 'SIGKILL');
    await owner.waitForLine(new RegExp(`^${title} answers again`), 60_000);
    const back = await now();
    await expect.poll(() => succeededSince(back), { timeout: 60_000 }).toBeGreaterThan(1);
  }

  // Those of the last seconds may be under way still.
  const settled = "scheduled_for < now() - interval '3 s' AND origin = 'schedule'";
  const { rows } = await db.pool.query(
    `SELECT sum(occurrences)::integer AS had, (extract(epoch FROM max(scheduled_for) - min(scheduled_for)))::integer + 1 AS due
     FROM run WHERE ${settled} AND state <> 'superseded'`,
  );
  expect(rows[0].had).toBe(rows[0].due);
  const open = `SELECT id, state, reason FROM run WHERE ${settled} AND state IN ('planned', 'queued', 'running', 'retrying', 'unknown')`;
  await expect.poll(async () => (await db.pool.query(open)).rows, { timeout: 60_000 }).toEqual([]);
  for (const process of [worker, scheduler, owner]) await process.terminate('SIGTERM');
});
