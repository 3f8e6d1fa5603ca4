import type { ContentsCursor, QueueContents, RunQueue, RunRef } from '@escapement/queue';
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
  /** Has all queues looked through without a pause. */
  scanAll(): void;
}

/** A page of a queue's jobs: those that no run waits for, and where the next page begins; undefined: it was the last. */
export async function findExtraJobs(
  { db, contents }: Pick<ExtraJobsOptions, 'db' | 'contents'>,
  page: { queue: string; from: ContentsCursor | undefined; limit: number },
): Promise<{ extra: RunRef[]; looked: number; next: ContentsCursor | undefined }> {
  const { jobs, next } = await contents.page(page.queue, page.from, page.limit);
  const stale = jobs.length === 0 ? [] : await areStale(db, jobs);
  return { extra: jobs.filter((_, index) => stale[index] === true), looked: jobs.length, next };
}

/**
 * Takes out jobs that no run waits for: a snapshot brought them back, or their runs ended before they were due. A
 * worker would refuse each of them. A part of the queue in each pass, round and round; all of it without a pause after
 * a resync request, once what is missing is there again. What a worker has taken is left to it.
 */
export function extraJobsStep(
  { db, queue, contents }: ExtraJobsOptions,
  watch: QueueWatch,
  queues: () => readonly string[],
): ExtraJobs {
  let left: readonly string[] = [];
  let cursor: ContentsCursor | undefined;
  let scansAll = false;
  let resynced = false;

  function scanAll(): void {
    left = queues();
    cursor = undefined;
    scansAll = true;
  }

  async function heal(): Promise<Healed> {
    if (watch.resyncRequest !== undefined) {
      resynced = true;
      return NOTHING;
    }
    if (resynced) scanAll();
    resynced = false;
    if (left.length === 0) left = queues();
    const [name] = left;
    if (name === undefined) return NOTHING;
    const removed = await sweep(name, scansAll ? BATCH : CALM_BATCH);
    const more = scansAll && left.length > 0;
    if (left.length === 0) scansAll = false;
    return { counts: { extra_job: removed }, more };
  }

  /** One page of a queue; what is empty of it costs no pass. */
  async function sweep(name: string, limit: number): Promise<number> {
    for (;;) {
      const { extra, looked, next } = await findExtraJobs({ db, contents }, { queue: name, from: cursor, limit });
      const removed = extra.length === 0 ? 0 : await queue.remove(extra);
      // Those after what was taken out have moved up; by less where runs were taken out of bundles.
      cursor = next && { ...next, from: Math.max(0, next.from - removed) };
      if (looked === 0 && next) continue;
      await contents.tidy(name);
      if (next === undefined) left = left.slice(1);
      return removed;
    }
  }

  return { scanAll, step: { name: 'extra jobs', heal } };
}
