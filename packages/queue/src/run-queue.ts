import { type Clock, EscapementError, systemClock } from '@escapement/core';
import { type RedisConnection, toError } from './connection.ts';
import { jobDelayMs } from './parcels.ts';
import { createPoolJobs, type PoolCounts, type PoolJobs } from './pool-jobs.ts';
import { createPromoter } from './promoter.ts';
import type { RunJob, RunRef } from './run-job.ts';

export type AddResult = { ok: true } | { ok: false; error: Error };

/** Runs on their way to a worker. Redis may forget them at any moment: the ledger knows them all. */
export interface RunQueue {
  /**
   * Hands runs to their pools. One result a run, in order: of a batch some may be stored and others not (a full
   * Redis). Adding a run again that Redis still holds under that dispatch number changes nothing; only where it is in
   * a bundle and added again with few others it gets a second job, whose run does not begin twice. Never rejects.
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
  const jobsOf = createPoolJobs(connection);
  const promoter = createPromoter<{ pool: string; jobId: string }>({
    ...promoterOptions,
    clock,
    promote(due) {
      // It fails where BullMQ was faster, the job is gone, or Redis is away: the delayed job is the fallback.
      for (const { pool, jobId } of due)
        jobsOf(pool)
          .promote(jobId)
          .catch(() => undefined);
    },
  });

  /** Jobs whose delay counts from `sinceMs`. */
  async function addChunk(pool: string, jobs: readonly RunJob[], sinceMs: number): Promise<AddResult[]> {
    const passedMs = clock.monotonicMs() - sinceMs;
    try {
      for (const { jobId, runs } of await jobsOf(pool).add(jobs, passedMs)) {
        const [first] = runs;
        const delayMs = first ? jobDelayMs(first, passedMs) : 0;
        if (delayMs > 0) promoter.hold(sinceMs + passedMs + delayMs, { pool, jobId });
      }
      return jobs.map(() => ({ ok: true }));
    } catch (error) {
      return afterFailure(pool, jobs, toError(error));
    }
  }

  /** Adding several is no transaction: what Redis holds is stored, whatever the error said. */
  async function afterFailure(pool: string, jobs: readonly RunJob[], error: Error): Promise<AddResult[]> {
    const stored = await jobsOf(pool)
      .present(jobs)
      .catch(() => jobs.map(() => false));
    return stored.map((ok) => (ok ? { ok } : { ok: false, error }));
  }

  async function add(jobs: readonly RunJob[]): Promise<AddResult[]> {
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
  }

  return { add, ...readers(jobsOf), close: async () => promoter.stop() };
}

function readers(jobsOf: (pool: string) => PoolJobs): Pick<RunQueue, 'present' | 'remove' | 'counts'> {
  return {
    async present(refs) {
      const held = new Map<RunRef, boolean>();
      for (const [pool, chunk] of chunksByPool(refs)) {
        const answers = await jobsOf(pool).present(chunk);
        for (const [index, ref] of chunk.entries()) held.set(ref, answers[index] === true);
      }
      return refs.map((ref) => held.get(ref) === true);
    },
    async remove(refs) {
      const removals = await Promise.allSettled(chunksByPool(refs).map(([pool, chunk]) => jobsOf(pool).remove(chunk)));
      return removals.reduce((sum, result) => sum + (result.status === 'fulfilled' ? result.value : 0), 0);
    },
    async counts(pools) {
      const counted = pools.map(async (pool) => [pool, await jobsOf(pool).counts()] as const);
      return Object.fromEntries(await Promise.all(counted));
    },
  };
}

function isUnreachable(result: AddResult): boolean {
  return !result.ok && result.error instanceof EscapementError && result.error.code === 'redis_unreachable';
}

function chunksByPool<Ref extends RunRef>(jobs: readonly Ref[]): (readonly [string, readonly Ref[]])[] {
  const byPool = new Map<string, Ref[]>();
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
