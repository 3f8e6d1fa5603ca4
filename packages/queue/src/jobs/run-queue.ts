import { type Clock, EscapementError, systemClock } from '@escapement/core';
import { createDueTimer } from '../consumer/due-timer.ts';
import { type RedisConnection, toError } from '../redis/connection.ts';
import { chunksByQueue } from './chunks-by-queue.ts';
import { jobDelayMs } from './job-batches.ts';
import { createQueueJobs, type QueueCounts, type QueueJobs } from './queue-jobs.ts';
import type { RunJob, RunRef } from './run-job.ts';

export type AddResult = { ok: true } | { ok: false; error: Error };

/** Runs on their way to a worker. Redis may forget them at any moment: the ledger knows them all. */
export interface RunQueue {
  /**
   * Hands runs to their queues. One result a run, in order: of a batch some may be stored and others not (a full
   * Redis). Adding a run again that Redis still holds under that dispatch number changes nothing; only where it is in
   * a bundle and added again with few others it gets a second job, whose run does not begin twice. Never rejects.
   */
  add(jobs: readonly RunJob[]): Promise<AddResult[]>;
  /** Whether Redis still holds each run's job, waiting, delayed or active. */
  present(refs: readonly RunRef[]): Promise<boolean[]>;
  /** Takes jobs out, as far as that works; one that a worker holds stays. Returns how many went. */
  remove(refs: readonly RunRef[]): Promise<number>;
  counts(queues: readonly string[]): Promise<Record<string, QueueCounts>>;
  /** Stops starting delayed jobs on the dot. The connection stays open. */
  close(): Promise<void>;
}

export interface RunQueueOptions {
  /** Jobs due later than this are left to BullMQ alone, see `DueTimerOptions`. */
  horizonMs?: number;
  maxHeld?: number;
  clock?: Clock;
}

/** Jobs of one pipeline: long ones hold up other commands, short ones cost round trips. */
const CHUNK = 500;

/** Pipelines at once: while Redis works on one, the next is written. */
const IN_FLIGHT = 2;

export function createRunQueue(connection: RedisConnection, options: RunQueueOptions = {}): RunQueue {
  const { clock = systemClock, ...timerOptions } = options;
  const jobsOf = createQueueJobs(connection);
  // BullMQ's workers sleep in a blocking command that Redis wakes on its own timer only, ten times a second, so that jobs start
  // up to 100 ms late; here the process that added them says "now". If it dies, BullMQ starts them in its own time.
  const promoter = createDueTimer<{ queue: string; jobId: string }>({
    ...timerOptions,
    clock,
    onDue(due) {
      // It fails where BullMQ was faster, the job is gone, or Redis is away: the delayed job is the fallback.
      for (const { queue, jobId } of due)
        jobsOf(queue)
          .promote(jobId)
          .catch(() => undefined);
    },
  });

  /** Jobs whose delay counts from `sinceMs`. */
  async function addChunk(queue: string, jobs: readonly RunJob[], sinceMs: number): Promise<AddResult[]> {
    const passedMs = clock.monotonicMs() - sinceMs;
    try {
      for (const { jobId, runs } of await jobsOf(queue).add(jobs, passedMs)) {
        const [first] = runs;
        const delayMs = first ? jobDelayMs(first, passedMs) : 0;
        if (delayMs > 0) promoter.hold(sinceMs + passedMs + delayMs, { queue, jobId });
      }
      return jobs.map(() => ({ ok: true }));
    } catch (error) {
      return afterFailure(queue, jobs, toError(error));
    }
  }

  /** Adding several is no transaction: what Redis holds is stored, whatever the error said. */
  async function afterFailure(queue: string, jobs: readonly RunJob[], error: Error): Promise<AddResult[]> {
    const stored = await jobsOf(queue)
      .present(jobs)
      .catch(() => jobs.map(() => false));
    return stored.map((ok) => (ok ? { ok } : { ok: false, error }));
  }

  async function add(jobs: readonly RunJob[]): Promise<AddResult[]> {
    const sinceMs = clock.monotonicMs();
    const results = new Map<RunJob, AddResult>();
    // In the order in which they are due: those that are due together shall be in one chunk.
    const inTime = jobs.toSorted((one, other) => (one.dueMs ?? 0) - (other.dueMs ?? 0));
    const left = chunksByQueue(inTime, CHUNK).values();
    let away: AddResult | undefined;
    const addInTurn = async () => {
      for (const [queue, chunk] of left) {
        const added = away ? [] : await addChunk(queue, chunk, sinceMs);
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

function readers(jobsOf: (queue: string) => QueueJobs): Pick<RunQueue, 'present' | 'remove' | 'counts'> {
  return {
    async present(refs) {
      const held = new Map<RunRef, boolean>();
      for (const [queue, chunk] of chunksByQueue(refs, CHUNK)) {
        const answers = await jobsOf(queue).present(chunk);
        for (const [index, ref] of chunk.entries()) held.set(ref, answers[index] === true);
      }
      return refs.map((ref) => held.get(ref) === true);
    },
    async remove(refs) {
      const removals = await Promise.allSettled(
        chunksByQueue(refs, CHUNK).map(([queue, chunk]) => jobsOf(queue).remove(chunk)),
      );
      return removals.reduce((sum, result) => sum + (result.status === 'fulfilled' ? result.value : 0), 0);
    },
    async counts(queues) {
      const counted = queues.map(async (queue) => [queue, await jobsOf(queue).counts()] as const);
      return Object.fromEntries(await Promise.all(counted));
    },
  };
}

function isUnreachable(result: AddResult): boolean {
  return !result.ok && result.error instanceof EscapementError && result.error.code === 'redis_unreachable';
}

function notStored({ runId }: RunJob): AddResult {
  return { ok: false, error: new Error(`run ${runId} was not stored`) };
}
