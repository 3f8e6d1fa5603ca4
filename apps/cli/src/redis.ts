import { EscapementError, SECOND } from '@escapement/core';
import type { LeaseInRedis, RedisConnection } from '@escapement/queue';
import { type RedisServerConfig, redisServers } from '@escapement/service';
import type { CliConfig } from './servers.ts';

/** How long a Redis is waited for. */
const PATIENCE_MS = 3 * SECOND;

/** Gives `use` a Redis that answers, and closes it. Throws `redis_unreachable`, or what `use` throws. */
export async function withRedis<Result>(
  server: RedisServerConfig,
  namespace: string,
  use: (redis: RedisConnection) => Promise<Result>,
): Promise<Result> {
  // Loaded where it is needed: with BullMQ in it, it takes half a second.
  const { connectRedis } = await import('@escapement/queue');
  const redis = connectRedis({ ...server, namespace });
  try {
    await reach(redis);
    return await use(redis);
  } finally {
    await redis.close();
  }
}

async function reach(redis: RedisConnection): Promise<void> {
  const { waitForRedis } = await import('@escapement/queue');
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

/** Where queues and leases are. Throws `no_redis_named`. */
export function requireRedis(config: CliConfig): { queue: RedisServerConfig; leases: RedisServerConfig } {
  const { redisUrl } = config;
  if (redisUrl !== undefined) return redisServers({ ...config, redisUrl });
  throw new EscapementError('no_redis_named', 'no Redis is named: REDIS_URL is not set', {
    fix: 'set REDIS_URL=redis://host:6379',
  });
}

/** The leases of all keys or of one; null where no Redis answers, which `onAway` is told of. */
export async function readLeases(
  config: CliConfig,
  key: string | undefined,
  onAway: (why: EscapementError) => void,
): Promise<LeaseInRedis[] | null> {
  try {
    return await withRedis(requireRedis(config).leases, config.namespace, async (redis) => {
      const { listLeases } = await import('@escapement/queue');
      return await listLeases(redis, key);
    });
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    onAway(error);
    return null;
  }
}
