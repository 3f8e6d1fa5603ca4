import { EscapementError } from '@escapement/core';
import type { LeaseInRedis, RedisConnection } from '@escapement/queue';
import type { WokenRun } from '@escapement/store';
import { requireRedis, withRedis } from '../redis.ts';
import type { CliConfig } from '../servers.ts';

/**
 * Brings Redis in line with a key that was released in the ledger: ends the lease, if it is still that of the same run,
 * and adds the jobs of those who are next. Both are only faster than waiting for it: workers take the lease of a run
 * that is over, and the reconciler adds what is missing. Returns whether a lease was ended.
 */
export async function tidyRedis(
  config: CliConfig,
  lease: LeaseInRedis | null,
  woken: readonly WokenRun[],
  onAway: (why: EscapementError) => void,
): Promise<boolean> {
  try {
    const servers = requireRedis(config);
    const ended = lease !== null && (await withRedis(servers.leases, config.namespace, (redis) => end(redis, lease)));
    if (woken.length > 0) await withRedis(servers.queue, config.namespace, (redis) => addJobs(redis, woken));
    return ended;
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    onAway(error);
    return false;
  }
}

async function end(redis: RedisConnection, lease: LeaseInRedis): Promise<boolean> {
  const { endLease } = await import('@escapement/queue');
  return await endLease(redis, lease);
}

async function addJobs(redis: RedisConnection, runs: readonly WokenRun[]): Promise<void> {
  const { createRunQueue } = await import('@escapement/queue');
  const queue = createRunQueue(redis);
  await queue.add(runs.map((run) => ({ pool: run.pool, runId: run.id, dispatch: run.dispatch, delayMs: 0 })));
  await queue.close();
}
