import { SECOND } from '@escapement/core';
import type { RedisConnection } from '@escapement/queue/server';
import type { RedisServerConfig } from '@escapement/service/config';

/** How long a Redis is waited for. */
const PATIENCE_MS = 3 * SECOND;

/**
 * Gives `use` a Redis that answers, and closes it: for `doctor`, which tells whether it can be reached from here. What
 * else needs Redis is asked of the schedulers. Throws `redis_unreachable`, or what `use` throws.
 */
export async function withRedis<Result>(
  server: RedisServerConfig,
  namespace: string,
  use: (redis: RedisConnection) => Promise<Result>,
): Promise<Result> {
  const { connectRedis } = await import('@escapement/queue/server');
  const redis = connectRedis({ ...server, namespace });
  try {
    await reach(redis);
    return await use(redis);
  } finally {
    await redis.close();
  }
}

async function reach(redis: RedisConnection): Promise<void> {
  const { waitForRedis } = await import('@escapement/queue/server');
  let last: Error | undefined;
  const onWait = ({ error }: { error: Error }) => {
    last = error;
  };
  try {
    await waitForRedis(redis, { signal: AbortSignal.timeout(PATIENCE_MS), onWait });
  } catch (error) {
    throw last ?? error;
  }
}
