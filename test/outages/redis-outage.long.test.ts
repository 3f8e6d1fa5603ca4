import { type OwnServer, ownRedis, testDatabase } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { startPair } from './outage.ts';

const FAULTS: Record<string, (redis: OwnServer, admin: Redis) => Promise<unknown>> = {
  dead: (redis) => redis.crash(),
  'a replica': (_redis, admin) => admin.replicaof('127.0.0.1', 1),
  full: (_redis, admin) => admin.config('SET', 'maxmemory', '1'),
};

// All at once: starting the processes is what takes time.
for (const [state, inject] of Object.entries(FAULTS))
  test.concurrent(`with Redis ${state} no process logs, grows or lingers beyond the bounds`, {
    timeout: 120_000,
  }, async () => {
    const [{ url }, redis] = await Promise.all([testDatabase(), ownRedis()]);
    const pair = await startPair(url, redis.url);
    const admin = new Redis(redis.url, { retryStrategy: () => null });
    admin.on('error', () => undefined);
    await inject(redis, admin);
    await pair.endureAndStop(4000);
    admin.disconnect();
  });

test.concurrent('each process says once that Redis is away, and once that it answers again', {
  timeout: 120_000,
}, async () => {
  const [{ url }, redis] = await Promise.all([testDatabase(), ownRedis()]);
  const pair = await startPair(url, redis.url);
  await redis.crash();
  await pair.endure('Redis does not answer', 8000);
  await redis.start();
  for (const told of await pair.storyUntil('Redis answers again')) expect(told).toEqual([...new Set(told)]);
});
