import {
  type BulkResult,
  type Clock,
  EscapementError,
  type FleetAnswer,
  type FleetAnswerOf,
  type FleetRequest,
  fleetRequest,
  parseQueue,
  redisSeen,
} from '@escapement/core';
import { carryOutChunk } from '@escapement/operations';
import {
  deleteLease,
  inspectRedis,
  listLeases,
  type QueueContents,
  type RedisConnection,
  type RunQueue,
} from '@escapement/queue';
import { type Database, readQueueBlocks, type TakenRequest } from '@escapement/store';
import { lookAtQueue } from '../reconciler/look-for-drift.ts';

/** What a scheduler needs to carry out requests. */
export interface RequestMeans {
  db: Database;
  queue: RunQueue;
  contents: QueueContents;
  /** The Redis that has the queue. */
  connection: RedisConnection;
  /** The Redis that has the leases. */
  leases: RedisConnection;
  clock: Clock;
}

/**
 * Carries out what somebody has asked for, or a chunk of it: null, there is more to do; `later`, but not at once. Throws
 * `unknown_request` for what another version asks.
 */
export async function carryOut(
  taken: TakenRequest,
  processId: string,
  means: RequestMeans,
): Promise<FleetAnswer | BulkResult | 'later' | null> {
  const { data: request } = fleetRequest.safeParse(taken.request);
  if (!request)
    throw new EscapementError('unknown_request', 'the scheduler does not know this request', {
      fix: 'use a command line and schedulers of the same version',
    });
  switch (request.kind) {
    case 'list_leases':
      return await listLeases(means.leases, request.key ?? undefined);
    case 'compare_queue':
      return await lookAtQueue(means);
    case 'inspect_redis':
      return await lookAtRedis(means);
    case 'open_pool':
      return await openPool(request.pool, means);
    case 'tidy_key':
      return await tidyKey(request, means);
    default:
      return await carryOutChunk(means.db, request, taken, processId);
  }
}

async function lookAtRedis({ connection, leases }: RequestMeans): Promise<FleetAnswerOf<'inspect_redis'>> {
  const servers = [
    { subject: 'Redis', redis: connection },
    ...(leases === connection ? [] : [{ subject: 'Redis for leases', redis: leases }]),
  ];
  return await Promise.all(
    servers.map(async ({ subject, redis }) => {
      try {
        return { subject, seen: redisSeen.parse(await inspectRedis(redis)) };
      } catch (error) {
        if (error instanceof EscapementError) return { subject, seen: error.message };
        throw error;
      }
    }),
  );
}

async function openPool(pool: string, { db, contents }: RequestMeans): Promise<boolean> {
  const blocks = await readQueueBlocks(db);
  const queues = blocks.filter(({ queue, kind }) => kind !== 'taken' && parseQueue(queue).pool === pool);
  await contents.liftBlocks([...new Set(queues.map(({ queue }) => queue))]);
  return queues.length > 0;
}

async function tidyKey(
  { lease, woken }: Extract<FleetRequest, { kind: 'tidy_key' }>,
  { queue, leases }: RequestMeans,
): Promise<boolean> {
  const ended = lease !== null && (await deleteLease(leases, lease));
  await queue.add(woken.map(({ id: runId, queue: name, dispatch }) => ({ runId, queue: name, dispatch, delayMs: 0 })));
  return ended;
}
