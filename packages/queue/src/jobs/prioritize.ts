import { type Clock, parseQueue, SECOND, scheduledForOf } from '@escapement/core';
import type { RunJob } from './run-job.ts';
import type { RunQueue } from './run-queue.ts';

/** So long a process goes by what it knows of the pools. */
const KNOWN_MS = 1 * SECOND;

/** What the ledger says of how urgent runs are. */
export interface Priorities {
  /** The pools in which a task has a priority. */
  pools(): Promise<ReadonlySet<string>>;
  /** By run; a run that is gone is left out. */
  ofRuns(runs: readonly { runId: string; scheduledFor: Date }[]): Promise<ReadonlyMap<string, number>>;
}

export interface PrioritizeOptions {
  priorities: Priorities;
  clock: Clock;
  onError: (error: unknown) => void;
}

/**
 * A queue that gives each job the priority of its task, in pools in which a task has one; in all others nothing is looked
 * up, and jobs go in without. In such a pool all jobs have one: BullMQ hands out those without before those with.
 */
export function prioritize(queue: RunQueue, { priorities, clock, onError }: PrioritizeOptions): RunQueue {
  let pools: Promise<ReadonlySet<string>> = Promise.resolve(new Set());
  let readMs = Number.NEGATIVE_INFINITY;

  function currentPools(): Promise<ReadonlySet<string>> {
    const known = pools;
    if (clock.monotonicMs() - readMs < KNOWN_MS) return known;
    readMs = clock.monotonicMs();
    pools = priorities.pools().catch((error) => {
      onError(error);
      return known;
    });
    return pools;
  }

  async function withPriorities(jobs: readonly RunJob[]): Promise<readonly RunJob[]> {
    const wanted = await currentPools();
    const isWanted = ({ queue }: RunJob) => wanted.has(parseQueue(queue).pool);
    const asked = jobs.filter(isWanted);
    if (asked.length === 0) return jobs;
    const refs = asked.map(({ runId }) => ({ runId, scheduledFor: scheduledForOf(runId) }));
    const found = await priorities.ofRuns(refs);
    return jobs.map((job) => (isWanted(job) ? { ...job, priority: found.get(job.runId) ?? 0 } : job));
  }

  return {
    ...queue,
    async add(jobs) {
      // A run without its priority is better than none.
      const known = await withPriorities(jobs).catch((error) => {
        onError(error);
        return jobs;
      });
      return await queue.add(known);
    },
  };
}
