import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '@escapement/core';
import { ownRedis } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { during, type Fault, type Injury, lookFor, nowMs, type Scene } from './fault.ts';

const AWAY_MS = 3 * SECOND;

function redisFault(name: string, title: string, inject: (scene: Scene) => Promise<Injury>): Fault {
  return { name: `redis-${name}`, title: `Redis ${title}`, inject };
}

/** Away for a while, and back with what it had, but for the last second at most: old leases, half-done jobs. */
export const redisKilled = redisFault('killed', 'killed', ({ redis }) =>
  during(
    AWAY_MS,
    () => redis.crash(),
    () => redis.start(),
  ),
);

/** Everything in Redis is gone at once: jobs, leases, scripts. Nothing needs healing. */
export const redisFlushed = redisFault('flushed', 'flushed', async ({ redisClient, ledger }) => {
  const fromMs = nowMs();
  const [keys, queued] = await Promise.all([redisClient.dbsize(), ledger.queued()]);
  await redisClient.flushall();
  const forgotten = queued.map(({ runId }) => runId);
  return { fromMs, healedMs: fromMs, forgotten, detail: `${keys} keys gone, ${forgotten.length} runs were queued` };
});

/** It accepts connections, and answers nobody. */
export const redisFrozen = redisFault('frozen', 'frozen', ({ redis }) =>
  during(
    AWAY_MS,
    () => redis.freeze(),
    () => redis.thaw(),
  ),
);

/** It has become a replica: it answers, and takes no writes. */
export const redisReadOnly = redisFault('readonly', 'READONLY', ({ redisClient }) =>
  during(
    AWAY_MS,
    // Port 9 of nobody: a replica whose primary is gone.
    () => redisClient.replicaof('127.0.0.1', 9),
    () => redisClient.replicaof('NO', 'ONE'),
  ),
);

/** Its memory is full: each write is refused. */
export const redisFull = redisFault('out-of-memory', 'out of memory', ({ redisClient }) =>
  during(
    AWAY_MS,
    () => redisClient.config('SET', 'maxmemory', '1'),
    () => redisClient.config('SET', 'maxmemory', '0'),
  ),
);

/** A replica takes over that had not heard of the last writes: acknowledged jobs and leases are gone, old ones are back. */
export const redisFailedOver = redisFault('failed-over', 'failed over with lost writes', async (scene) => {
  const { redis: primary } = scene;
  const replica = await ownRedis();
  const client = new Redis(replica.url);
  await client.replicaof('127.0.0.1', primary.port);
  await isInSync(client, scene);
  await client.replicaof('NO', 'ONE');
  await delay(1.5 * SECOND);
  const fromMs = nowMs();
  const lostKeys = Math.abs((await scene.redisClient.dbsize()) - (await client.dbsize()));
  client.disconnect();
  await primary.crash();
  scene.switchRedis(replica);
  return { fromMs, healedMs: nowMs(), detail: `1.5 s of writes lost, key counts differ by ${lostKeys}` };
});

async function isInSync(replica: Redis, { probe }: Scene): Promise<void> {
  const look = async () => (await replica.info('replication')).includes('master_link_status:up') || undefined;
  if (!(await lookFor(probe, 20 * SECOND, look))) throw new Error('the replica did not catch up within 20 s');
}
