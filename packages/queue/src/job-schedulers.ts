import { type Clock, gridAfter, isOnGrid, SECOND, systemClock } from '@escapement/core';
import { answered, openOf, type RedisConnection } from './connection.ts';
import { poolBase } from './keys.ts';
import { createQueues } from './queues.ts';
import { bullPriority } from './run-job.ts';
import { jobSchedulerId, parseJobSchedulerId, type Ticking, type TickJobData, tickJobId } from './tick-job.ts';

/** A job scheduler as Redis has it. */
export interface TickingInRedis extends Ticking {
  /** False: it makes no more ticks, or makes them beside the grid. */
  sound: boolean;
}

/** BullMQ's job schedulers, one for each task that ticks. Everything rejects with `redis_unreachable` in time. */
export interface JobSchedulers {
  /** All of a pool; those that come or go meanwhile may be left out. */
  list(pool: string): Promise<TickingInRedis[]>;
  /** Makes them; the first tick is the next instant of the grid but for half a second. One that is there stays as it is. */
  put(ticking: readonly Ticking[]): Promise<void>;
  /** Ends them; a tick that is due already may still come. */
  remove(ticking: readonly Ticking[]): Promise<void>;
}

/** BullMQ anchors a grid whose start has passed at now: the first tick lies far enough ahead for the way to Redis. */
const LEAD_MS = SECOND / 2;
/** A job scheduler whose next tick is so long past and not there will never tick again. */
const DEAD_AFTER_MS = 2 * SECOND;
/** Members of one step through the list, and commands of one pipeline. */
const CHUNK = 500;

export function createJobSchedulers(connection: RedisConnection, clock: Clock = systemClock): JobSchedulers {
  const { client } = openOf(connection);
  const queueOf = createQueues<TickJobData>(connection);

  async function put(ticking: Ticking): Promise<void> {
    const { pool, taskId, everyMs, priority } = ticking;
    const opts = { attempts: 1, removeOnComplete: true, removeOnFail: true };
    const startDate = gridAfter(ticking, clock.now().getTime() + LEAD_MS);
    await queueOf(pool).upsertJobScheduler(
      jobSchedulerId(ticking),
      { every: everyMs, startDate },
      {
        name: 'tick',
        data: { v: 1, taskId },
        opts: priority === undefined ? opts : { ...opts, priority: bullPriority(priority) },
      },
    );
  }

  /** Of those whose next tick is long past, whether it is there. */
  async function areThere(pool: string, late: readonly { id: string; nextMs: number }[]): Promise<Set<string>> {
    const base = poolBase(connection.namespace, pool);
    const counts = await Promise.all(late.map(({ id, nextMs }) => client.exists(`${base}:${tickJobId(id, nextMs)}`)));
    return new Set(late.filter((_, index) => counts[index] === 1).map(({ id }) => id));
  }

  async function judge(pool: string, members: readonly { id: string; nextMs: number }[]): Promise<TickingInRedis[]> {
    const deadBeforeMs = clock.now().getTime() - DEAD_AFTER_MS;
    const there = await areThere(
      pool,
      members.filter(({ nextMs }) => nextMs < deadBeforeMs),
    );
    return members.flatMap(({ id, nextMs }) => {
      const ticking = parseJobSchedulerId(id);
      if (!ticking) return [];
      const alive = nextMs >= deadBeforeMs || there.has(id);
      return [{ pool, ...ticking, sound: alive && isOnGrid(ticking, nextMs) }];
    });
  }

  async function list(pool: string): Promise<TickingInRedis[]> {
    const key = `${poolBase(connection.namespace, pool)}:repeat`;
    const found = new Map<string, TickingInRedis>();
    let cursor = '0';
    do {
      const [next, reply] = await client.zscan(key, cursor, 'COUNT', CHUNK);
      for (const ticking of await judge(pool, pairs(reply))) found.set(jobSchedulerId(ticking), ticking);
      cursor = next;
    } while (cursor !== '0');
    return [...found.values()];
  }

  async function inChunks(ticking: readonly Ticking[], apply: (each: Ticking) => Promise<unknown>): Promise<void> {
    for (let at = 0; at < ticking.length; at += CHUNK)
      await answered(connection, Promise.all(ticking.slice(at, at + CHUNK).map(apply)));
  }

  return {
    list: (pool) => answered(connection, list(pool)),
    put: (ticking) => inChunks(ticking, put),
    remove: (ticking) => inChunks(ticking, (each) => queueOf(each.pool).removeJobScheduler(jobSchedulerId(each))),
  };
}

/** ZSCAN answers with member, score, member, score. */
function pairs(reply: readonly string[]): { id: string; nextMs: number }[] {
  return Array.from({ length: reply.length / 2 }, (_, at) => ({
    id: reply[2 * at] ?? '',
    nextMs: Number(reply[2 * at + 1]),
  }));
}
