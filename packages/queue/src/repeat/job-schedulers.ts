import { type Clock, gridAfter, isOnGrid, SECOND, systemClock } from '@escapement/core';
import { createQueues } from '../jobs/queues.ts';
import { bullPriority } from '../jobs/run-job.ts';
import { answered, openOf, type RedisConnection } from '../redis/connection.ts';
import { queueBase } from '../redis/keys.ts';
import {
  jobSchedulerId,
  parseJobSchedulerId,
  type RepeatableJob,
  type RepeatJobData,
  repeatJobId,
} from './repeat-job.ts';

/** A job scheduler as Redis has it. */
export interface RepeatableJobInRedis extends RepeatableJob {
  /** False: it makes no more repeats, or makes them beside the grid. */
  sound: boolean;
}

/** BullMQ's job schedulers, one for each task with a steady interval. Everything rejects with `redis_unreachable` in time. */
export interface JobSchedulers {
  /** All of a queue; those that come or go meanwhile may be left out. */
  list(queue: string): Promise<RepeatableJobInRedis[]>;
  /** Makes them; the first repeat is the next instant of the grid but for half a second. One that is there stays as it is. */
  put(repeatable: readonly RepeatableJob[]): Promise<void>;
  /** Ends them; a repeat that is due already may still come. */
  remove(repeatable: readonly RepeatableJob[]): Promise<void>;
}

/** BullMQ anchors a grid whose start has passed at now: the first repeat lies far enough ahead for the way to Redis. */
const LEAD_MS = SECOND / 2;
/** A job scheduler whose next repeat is so long past and not there will never fire again. */
const DEAD_AFTER_MS = 2 * SECOND;
/** Members of one step through the list, and commands of one pipeline. */
const CHUNK = 500;

export function createJobSchedulers(connection: RedisConnection, clock: Clock = systemClock): JobSchedulers {
  const { client } = openOf(connection);
  const queueOf = createQueues<RepeatJobData>(connection);

  async function put(repeatable: RepeatableJob): Promise<void> {
    const { queue, taskId, everyMs, priority } = repeatable;
    const opts = { attempts: 1, removeOnComplete: true, removeOnFail: true };
    const startDate = gridAfter(repeatable, clock.now().getTime() + LEAD_MS);
    await queueOf(queue).upsertJobScheduler(
      jobSchedulerId(repeatable),
      { every: everyMs, startDate },
      {
        name: 'repeat',
        data: { v: 1, taskId },
        opts: priority === undefined ? opts : { ...opts, priority: bullPriority({ priority }) },
      },
    );
  }

  /** Of those whose next repeat is long past, whether it is there. */
  async function areThere(queue: string, late: readonly { id: string; nextMs: number }[]): Promise<Set<string>> {
    const base = queueBase(connection.namespace, queue);
    const counts = await Promise.all(late.map(({ id, nextMs }) => client.exists(`${base}:${repeatJobId(id, nextMs)}`)));
    return new Set(late.filter((_, index) => counts[index] === 1).map(({ id }) => id));
  }

  async function judge(
    queue: string,
    members: readonly { id: string; nextMs: number }[],
  ): Promise<RepeatableJobInRedis[]> {
    const deadBeforeMs = clock.now().getTime() - DEAD_AFTER_MS;
    const there = await areThere(
      queue,
      members.filter(({ nextMs }) => nextMs < deadBeforeMs),
    );
    return members.flatMap(({ id, nextMs }) => {
      const repeatable = parseJobSchedulerId(id);
      if (!repeatable) return [];
      const alive = nextMs >= deadBeforeMs || there.has(id);
      return [{ queue, ...repeatable, sound: alive && isOnGrid(repeatable, nextMs) }];
    });
  }

  async function list(queue: string): Promise<RepeatableJobInRedis[]> {
    const key = `${queueBase(connection.namespace, queue)}:repeat`;
    const found = new Map<string, RepeatableJobInRedis>();
    let cursor = '0';
    do {
      const [next, reply] = await client.zscan(key, cursor, 'COUNT', CHUNK);
      for (const repeatable of await judge(queue, pairs(reply))) found.set(jobSchedulerId(repeatable), repeatable);
      cursor = next;
    } while (cursor !== '0');
    return [...found.values()];
  }

  async function inChunks(
    repeatable: readonly RepeatableJob[],
    apply: (each: RepeatableJob) => Promise<unknown>,
  ): Promise<void> {
    for (let at = 0; at < repeatable.length; at += CHUNK)
      await answered(connection, Promise.all(repeatable.slice(at, at + CHUNK).map(apply)));
  }

  return {
    list: (queue) => answered(connection, list(queue)),
    put: (repeatable) => inChunks(repeatable, put),
    remove: (repeatable) =>
      inChunks(repeatable, (each) => queueOf(each.queue).removeJobScheduler(jobSchedulerId(each))),
  };
}

/** ZSCAN answers with member, score, member, score. */
function pairs(reply: readonly string[]): { id: string; nextMs: number }[] {
  return Array.from({ length: reply.length / 2 }, (_, at) => ({
    id: reply[2 * at] ?? '',
    nextMs: Number(reply[2 * at + 1]),
  }));
}
