import { type Clock, EscapementError, systemClock } from '@escapement/core';
import type { Queue } from 'bullmq';
import { answered, openOf, type RedisConnection, toError } from './connection.ts';
import { poolBase, runJobId } from './keys.ts';
import { createPromoter } from './promoter.ts';
import { createQueues } from './queues.ts';
import { bullPriority, type RunJob, type RunJobData, type RunRef } from './run-job.ts';

export type AddResult = { ok: true } | { ok: false; error: Error };

export interface PoolCounts {
  waiting: number;
  delayed: number;
  active: number;
  /** How many of these are the next tick of a task. */
  ticks: number;
}

/** Runs on their way to a worker. Redis may forget them at any moment: the ledger knows them all. */
export interface RunQueue {
  /**
   * Hands runs to their pools. One result a run, in order: of a batch some may be stored and others not (a full
   * Redis). Adding a run again that Redis still holds under that dispatch number changes nothing. Never rejects.
   */
  add(jobs: readonly RunJob[]): Promise<AddResult[]>;
  /** Whether Redis still holds each run's job, waiting, delayed or active. */
  present(refs: readonly RunRef[]): Promise<boolean[]>;
  /** Takes jobs out, as far as that works; one that a worker holds stays. Returns how many went. */
  remove(refs: readonly RunRef[]): Promise<number>;
  counts(pools: readonly string[]): Promise<Record<string, PoolCounts>>;
  /** Stops starting delayed jobs on the dot. The connection stays open. */
  close(): Promise<void>;
}

export interface RunQueueOptions {
  /** See `PromoterOptions`. */
  horizonMs?: number;
  maxHeld?: number;
  clock?: Clock;
}

/** Jobs of one pipeline: long ones hold up other commands, short ones cost round trips. */
const CHUNK = 500;

/** Pipelines at once: while Redis works on one, the next is written. */
const IN_FLIGHT = 2;

export function createRunQueue(connection: RedisConnection, options: RunQueueOptions = {}): RunQueue {
  const { clock = systemClock, ...promoterOptions } = options;
  const queueOf = createQueues<RunJobData>(connection);
  const promoter = createPromoter<RunRef>({
    ...promoterOptions,
    clock,
    promote(due) {
      for (const { pool, runId, dispatch } of due) {
        // It fails where BullMQ was faster, the job is gone, or Redis is away: the delayed job is the fallback.
        queueOf(pool)
          .getBackend()
          .promote(runJobId(runId, dispatch))
          .catch(() => undefined);
      }
    },
  });

  /** Jobs whose delay counts from `sinceMs`. */
  async function addChunk(pool: string, jobs: readonly RunJob[], sinceMs: number): Promise<AddResult[]> {
    const passedMs = clock.monotonicMs() - sinceMs;
    const results = await store(
      connection,
      queueOf(pool),
      jobs.map((job) => ({ ...job, delayMs: job.delayMs - passedMs })),
    );
    for (const [index, job] of jobs.entries()) {
      if (results[index]?.ok && job.delayMs > passedMs) promoter.hold(sinceMs + job.delayMs, job);
    }
    return results;
  }

  return {
    async add(jobs) {
      const sinceMs = clock.monotonicMs();
      const results = new Map<RunJob, AddResult>();
      const left = chunksByPool(jobs).values();
      let away: AddResult | undefined;
      const addInTurn = async () => {
        for (const [pool, chunk] of left) {
          const added = away ? [] : await addChunk(pool, chunk, sinceMs);
          // With Redis away each further chunk would cost its time limit.
          away ??= added.find(isUnreachable);
          for (const [index, job] of chunk.entries()) results.set(job, added[index] ?? away ?? notStored(job));
        }
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, addInTurn));
      return jobs.map((job) => results.get(job) ?? notStored(job));
    },
    present: (refs) => present(connection, refs),
    async remove(refs) {
      const removals = refs.map(({ pool, runId, dispatch }) => queueOf(pool).remove(runJobId(runId, dispatch)));
      const results = await Promise.allSettled(removals);
      return results.filter((result) => result.status === 'fulfilled' && result.value === 1).length;
    },
    async counts(pools) {
      const counted = pools.map(async (pool) => [pool, await poolCounts(connection, queueOf(pool))] as const);
      return Object.fromEntries(await Promise.all(counted));
    },
    async close() {
      promoter.stop();
    },
  };
}

async function store(
  connection: RedisConnection,
  queue: Queue<RunJobData>,
  jobs: readonly RunJob[],
): Promise<AddResult[]> {
  try {
    await answered(connection, queue.addBulk(jobs.map(toBullJob)));
    return jobs.map(() => ({ ok: true }));
  } catch (error) {
    return afterFailure(connection, jobs, toError(error));
  }
}

/** `addBulk` is no transaction: what Redis holds is stored, whatever the error said. */
async function afterFailure(connection: RedisConnection, jobs: readonly RunJob[], error: Error): Promise<AddResult[]> {
  const stored = await present(connection, jobs).catch(() => jobs.map(() => false));
  return stored.map((ok) => (ok ? { ok } : { ok: false, error }));
}

function isUnreachable(result: AddResult): boolean {
  return !result.ok && result.error instanceof EscapementError && result.error.code === 'redis_unreachable';
}

function toBullJob({ runId, dispatch, delayMs, priority, first = false }: RunJob) {
  const data: RunJobData = { v: 1, runId, dispatch };
  const jobId = runJobId(runId, dispatch);
  // BullMQ counts in whole milliseconds from one that has begun already: one more, so that it is never early.
  const delay = delayMs > 0 ? Math.ceil(delayMs) + 1 : 0;
  const plain = { jobId, delay, attempts: 1, removeOnComplete: true, removeOnFail: true };
  const opts = first ? { ...plain, lifo: true } : plain;
  return { name: 'run', data, opts: priority === undefined ? opts : { ...opts, priority: bullPriority(priority) } };
}

async function present(connection: RedisConnection, refs: readonly RunRef[]): Promise<boolean[]> {
  const { client } = openOf(connection);
  const held: boolean[] = [];
  for (const chunk of chunks(refs, 2 * CHUNK)) {
    const replies = chunk.map(({ pool, runId, dispatch }) =>
      client.exists(`${poolBase(connection.namespace, pool)}:${runJobId(runId, dispatch)}`),
    );
    const counted = await answered(connection, Promise.all(replies));
    for (const count of counted) held.push(count === 1);
  }
  return held;
}

async function poolCounts(connection: RedisConnection, queue: Queue<RunJobData>): Promise<PoolCounts> {
  const counting = Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active'),
    // A job scheduler always has one job ahead.
    queue.getJobSchedulersCount(),
  ]);
  const [counts, ticks] = await answered(connection, counting);
  const waiting = (counts.waiting ?? 0) + (counts.prioritized ?? 0);
  return { waiting, delayed: counts.delayed ?? 0, active: counts.active ?? 0, ticks };
}

function chunksByPool(jobs: readonly RunJob[]): (readonly [string, readonly RunJob[]])[] {
  const byPool = new Map<string, RunJob[]>();
  for (const job of jobs) {
    const own = byPool.get(job.pool);
    if (own) own.push(job);
    else byPool.set(job.pool, [job]);
  }
  return [...byPool].flatMap(([pool, own]) => chunks(own, CHUNK).map((chunk) => [pool, chunk] as const));
}

function chunks<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  const parts: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
}

function notStored({ runId }: RunJob): AddResult {
  return { ok: false, error: new Error(`run ${runId} was not stored`) };
}
