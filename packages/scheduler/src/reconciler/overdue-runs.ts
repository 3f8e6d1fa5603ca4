import { type Clock, SECOND } from '@escapement/core';
import type { JobPlace, QueueContents } from '@escapement/queue';
import { type Database, type DispatchableRun, overdueRuns, redispatchRuns } from '@escapement/store';
import { type PutBackOptions, putBack, toRef } from './put-back.ts';
import type { Healed, HealingStep } from './step.ts';

const OVERDUE_MS = 1 * SECOND;
const BATCH = 500;
/** A job that BullMQ still holds back for longer than this, though its run is overdue, was added with a wrong delay. */
const HELD_BACK_MS = 1 * SECOND;

export interface OverdueRunsOptions extends PutBackOptions {
  db: Database;
  contents: QueueContents;
  clock: Clock;
  /** A worker that has not sent a heartbeat for so long is dead. Milliseconds. */
  deadMs: number;
}

/**
 * Looks where the jobs of the most overdue runs are. One that is gone is added again. One that a worker took and none
 * has (the worker died, or the answer of a Redis that hung never reached it), and one that no worker can reach, is
 * queued anew under the next dispatch number: BullMQ itself would give it back after its lock and two checks.
 */
export function overdueRunsStep(options: OverdueRunsOptions): HealingStep {
  const { db, contents, clock, deadMs } = options;

  async function heal(): Promise<Healed> {
    const runs = await overdueRuns(db, { overdueMs: OVERDUE_MS, limit: BATCH });
    if (runs.length === 0) return { counts: {}, more: false };
    const places = await contents.places(runs.map(toRef));
    const placed = runs.map((run, index) => ({ run, place: places[index] ?? GONE }));
    const missing = await putBack(
      placed.filter(({ place }) => place.at === 'gone').map(({ run }) => run),
      options,
    );
    const stuck = await queueAnew(placed.filter(({ place }) => isStuck(place, clock.now())));
    return { counts: { missing_job: missing, stuck_job: stuck }, more: missing + stuck === BATCH };
  }

  // Between the two the run is queued without a job, which the next pass heals.
  async function queueAnew(stuck: readonly { run: DispatchableRun; place: JobPlace }[]): Promise<number> {
    if (stuck.length === 0) return 0;
    const candidates = stuck.map(({ run, place }) => ({ ...run, takenAt: place.at === 'taken' ? place.since : null }));
    const runs = await redispatchRuns(db, candidates, { deadMs });
    await putBack(runs, options);
    return runs.length;
  }

  return { name: 'overdue runs', heal };
}

const GONE: JobPlace = { at: 'gone' };

/** Whether a run's job may never bring it to a worker. Of one that a worker took, the ledger knows more. */
export function isStuck(place: JobPlace, now: Date): boolean {
  switch (place.at) {
    case 'nowhere':
    case 'taken':
      return true;
    case 'delayed':
      return place.untilMs > now.getTime() + HELD_BACK_MS;
    case 'waiting':
    case 'gone':
      return false;
  }
}
