import { saveTask, triggerTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import { by, eventually, spawnNode, testDatabase, testRedis } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { main, PATIENCE_MS, START_MS } from './fleet.ts';

const LIMIT = 2;
const PER_MS = 3000;
const RUNS = 12;

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
  ESCAPEMENT_ALLOW_SHELL: 'true',
};
const scheduler = spawnNode(main('scheduler'), { env });
const workers = [spawnNode(main('worker'), { env }), spawnNode(main('worker'), { env })];
await scheduler.waitForLine('scheduler is running', START_MS);
for (const worker of workers) await worker.waitForLine('worker is running', START_MS);

/** When each start was, once there are so many. */
async function starts(count: number): Promise<number[]> {
  return await eventually(async () => {
    const { rows } = await db.pool.query<{ at: Date }>(
      `SELECT started_at AS at FROM run WHERE started_at IS NOT NULL AND state <> 'running' ORDER BY started_at`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(count);
    return rows.map(({ at }) => at.getTime());
  }, PATIENCE_MS);
}

test('a rate holds, and what waits starts on time, though a worker, a scheduler and Redis go', {
  timeout: 90_000,
}, async () => {
  await saveTask(
    db,
    {
      name: 'rated',
      handler: { type: 'shell', command: 'true' },
      overlap: 'allow',
      rate: { limit: LIMIT, perMs: PER_MS },
    },
    { source: 'test', by: by('test') },
  );
  for (let made = 0; made < RUNS; made++) await triggerTask(db, 'rated', { by: by('test') });
  await starts(LIMIT);
  await workers[0]?.kill();
  await starts(2 * LIMIT);
  await scheduler.kill();
  // Who noted that the others wait may be the worker that was killed: without a scheduler nobody else would wake them.
  const next = spawnNode(main('scheduler'), { env });
  await next.waitForLine('scheduler is running', START_MS);
  await starts(4 * LIMIT);
  await redis.flushdb();
  const all = await starts(RUNS);
  const apart = all.slice(LIMIT).map((at, index) => at - (all[index] ?? Number.NaN));
  expect(Math.min(...apart)).toBeGreaterThanOrEqual(PER_MS);
  // Most of them: a machine that is busy holds up some.
  expect(apart.toSorted((one, other) => one - other)[Math.floor(apart.length / 2)]).toBeLessThan(1.5 * PER_MS);
  const { rows } = await db.pool.query('SELECT DISTINCT state, attempt, reason FROM run');
  expect(rows).toEqual([{ state: 'succeeded', attempt: 1, reason: null }]);
});
