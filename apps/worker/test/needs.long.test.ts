import { queueName } from '@escapement/core';
import { saveTask, triggerTask, whyRunWaits, whyTaskWaits } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import { built, by, eventually, spawnNode, testDatabase, testRedis } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { main, PATIENCE_MS, START_MS, startProgram } from './fleet.ts';

const FLEET = { deadMs: 3000 };
const MANY = 40;

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
const { url: redisUrl } = await testRedis();
const redis = new Redis(redisUrl);
afterAll(async () => {
  redis.disconnect();
  await db.close();
});
const env = {
  DATABASE_URL: url,
  REDIS_URL: redisUrl,
  ESCAPEMENT_HEALTH_PORT: '0',
  ESCAPEMENT_LEASE_MS: '3000',
  ESCAPEMENT_CONCURRENCY: '4',
};

const startWorker = (more: Record<string, string> = {}) => startProgram('worker', { ...env, ...more });

async function triggered(task: string, count: number): Promise<string[]> {
  return await Promise.all(Array.from({ length: count }, () => triggerTask(db, task, { by: by('test') })));
}

/** These runs, once all have ended. */
async function ended(ids: readonly string[]) {
  return await eventually(async () => {
    const { rows } = await db.pool.query<{
      id: string;
      state: string;
      worker: string;
      attempt: number;
      offers: string[];
    }>(
      `SELECT r.id, r.state, r.worker, r.attempt, ARRAY(SELECT o FROM unnest(p.offers) o WHERE worker_of(o) IS NULL) AS offers FROM run r LEFT JOIN process p ON p.id = r.worker
       WHERE r.id = ANY ($1::uuid[]) AND r.finished_at IS NOT NULL`,
      [ids],
    );
    expect(rows.length).toBe(ids.length);
    return rows;
  }, PATIENCE_MS);
}

const kindsOf = (rows: Awaited<ReturnType<typeof ended>>) => [
  ...new Set(rows.map(({ state, attempt }) => `${state} ${attempt}`)),
];

test('a worker without the shell never gets a shell run: it waits, says for what, and runs where there is one', {
  timeout: 120_000,
}, async () => {
  const scheduler = spawnNode(main('scheduler'), { env });
  await scheduler.waitForLine('scheduler is running', START_MS);
  await saveTask(
    db,
    { name: 'line', handler: { type: 'shell', command: 'true' }, overlap: 'allow' },
    { source: 'test', by: by('test') },
  );
  await startWorker();
  const ids = await triggered('line', MANY);
  const [first = ''] = ids;
  const { rows } = await db.pool.query('SELECT scheduled_for FROM run WHERE id = $1', [first]);
  const run = { runId: first, scheduledFor: rows[0]?.scheduled_for };
  await expect
    .poll(async () => (await whyRunWaits(db, run, FLEET))?.reason, { timeout: 10_000 })
    .toMatch(/^worker-\S+, the one worker of the pool "default", may not use the shell$/);
  expect(await whyTaskWaits(db, 'line', FLEET)).toMatchObject({
    advice: 'start a worker with ESCAPEMENT_POOLS=default and ESCAPEMENT_ALLOW_SHELL=true',
    tasks: 1,
  });
  // Passes of the reconciler change nothing of it; each leaves a marker of its own.
  const markers = new Set<string>();
  await expect
    .poll(async () => {
      const seen = await db.pool.query<{ marker: string }>('SELECT marker FROM queue_watch');
      for (const { marker } of seen.rows) markers.add(marker);
      return markers.size;
    })
    .toBeGreaterThan(3);
  const states = await db.pool.query('SELECT DISTINCT state, dispatch FROM run WHERE id = ANY ($1::uuid[])', [ids]);
  expect(states.rows).toEqual([{ state: 'queued', dispatch: 1 }]);

  await startWorker({ ESCAPEMENT_ALLOW_SHELL: 'true' });
  const done = await ended([...ids, ...(await triggered('line', MANY))]);
  expect(kindsOf(done)).toEqual(['succeeded 1']);
  expect(new Set(done.map(({ offers }) => offers.join()))).toEqual(new Set(['shell']));
  expect(await whyTaskWaits(db, 'line', FLEET)).toBeNull();
});

test('runs of two queues survive a flush of Redis, and each runs once', { timeout: 120_000 }, async () => {
  await startWorker({
    ESCAPEMENT_ALLOW_SHELL: 'true',
    ESCAPEMENT_TASKS: built(new URL('./versions/one', import.meta.url)),
    ESCAPEMENT_APP: 'shop',
  });
  await saveTask(
    db,
    { name: 'slow', handler: { type: 'shell', command: 'sleep 1' }, overlap: 'allow' },
    { source: 'test', by: by('test') },
  );
  await db.pool.query(`UPDATE task SET overlap = 'allow' WHERE name = 'kept'`);
  const ids = [...(await triggered('slow', MANY)), ...(await triggered('kept', MANY))];
  const { rows } = await db.pool.query<{ pool: string; need: string }>(
    'SELECT DISTINCT pool, need FROM run WHERE id = ANY ($1::uuid[]) ORDER BY need',
    [ids],
  );
  expect(rows.map(({ pool, need }) => queueName(pool, need))).toEqual([
    expect.stringMatching(/^default\+code\.[0-9a-f]{12}$/),
    'default+shell',
  ]);
  await expect.poll(() => redis.keys('esc:{default:default+*:wait'), { timeout: 10_000 }).not.toEqual([]);
  await redis.flushall();
  expect(kindsOf(await ended(ids))).toEqual(['succeeded 1']);
});
