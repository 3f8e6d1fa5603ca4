import type { ContentsCursor, QueueContents, RunQueue } from '@escapement/queue';
import { areStale, type Database } from '@escapement/store';
import type { QueueWatch } from './queue-watch.ts';
import { type Healed, type HealingStep, NOTHING } from './step.ts';

/** Jobs of a pass as long as nothing is wrong. */
const CALM_BATCH = 500;
const BATCH = 2000;

export interface ExtraJobsOptions {
  db: Database;
  queue: RunQueue;
  contents: QueueContents;
}

export interface ExtraJobs {
  readonly step: HealingStep;
  /** Has all pools looked through without a pause. */
  hurry(): void;
}

/**
 * Takes out jobs that no run waits for: a snapshot brought them back, or their runs ended before they were due. A
 * worker would refuse each of them. A part of the queue in each pass, round and round; all of it without a pause after
 * a resync request, once what is missing is there again. What a worker has taken is left to it.
 */
export function extraJobsStep(
  { db, queue, contents }: ExtraJobsOptions,
  watch: QueueWatch,
  pools: () => readonly string[],
): ExtraJobs {
  let left: readonly string[] = [];
  let cursor: ContentsCursor | undefined;
  let hurried = false;
  let resynced = false;

  function hurry(): void {
    left = pools();
    cursor = undefined;
    hurried = true;
  }

  async function heal(): Promise<Healed> {
    if (watch.resyncRequest !== undefined) {
      resynced = true;
      return NOTHING;
    }
    if (resynced) hurry();
    resynced = false;
    if (left.length === 0) left = pools();
    const [pool] = left;
    if (pool === undefined) return NOTHING;
    const removed = await sweep(pool, hurried ? BATCH : CALM_BATCH);
    const more = hurried && left.length > 0;
    if (left.length === 0) hurried = false;
    return { counts: { extra_job: removed }, more };
  }

  /** One page of a pool. */
  async function sweep(pool: string, limit: number): Promise<number> {
    const { jobs, next } = await contents.page(pool, cursor, limit);
    const stale = jobs.length === 0 ? [] : await areStale(db, jobs);
    const extra = jobs.filter((_, index) => stale[index] === true);
    const removed = extra.length === 0 ? 0 : await queue.remove(extra);
    // Those after what was taken out have moved up; by less where runs were taken out of bundles.
    cursor = next && { ...next, from: Math.max(0, next.from - removed) };
    await contents.tidy(pool);
    if (next === undefined) left = left.slice(1);
    return removed;
  }

  return { hurry, step: { name: 'extra jobs', heal } };
}
