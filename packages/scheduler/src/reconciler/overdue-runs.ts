import { type Clock, SECOND } from '@escapement/core';
import type { JobPlace, QueueContents } from '@escapement/queue';
import { type Database, type DispatchableRun, overdueRuns, type RunCursor, redispatchRuns } from '@escapement/store';
import { type PutBackOptions, putBack, toRef } from './put-back.ts';
import type { VanishedJobs } from './queue-blocks.ts';
import type { Healed, HealingStep } from './step.ts';

const OVERDUE_MS = 1 * SECOND;
const BATCH = 500;
/** Overdue runs that a pass looks at where pools are paused, twice: the oldest ones, and a part of those behind. */
const LOOKED_AT = 5000;
/** A job that BullMQ still holds back for longer than this, though its run is overdue, was added with a wrong delay. */
const HELD_BACK_MS = 1 * SECOND;

export interface OverdueRunsOptions extends PutBackOptions {
  db: Database;
  contents: QueueContents;
  clock: Clock;
  /** A worker that has not sent a heartbeat for so long is dead. Milliseconds. */
  deadMs: number;
}

interface PlacedRun {
  run: DispatchableRun;
  place: JobPlace;
}

export interface OverdueLook {
  /** Runs that may be found. */
  limit: number;
  /** Overdue runs that are looked at; where those of paused pools crowd them, as many behind them again. */
  lookAt: number;
  /** How far the looks behind a crowd have come. */
  behind?: RunCursor | undefined;
}

/**
 * The most overdue runs whose job is gone, and those whose job may never bring them to a worker. Of a paused pool's backlog, which
 * may be long, each look passes over a part: `behind` is where the next one goes on.
 */
export async function findOverdueRuns(
  { db, contents, clock }: Pick<OverdueRunsOptions, 'db' | 'contents' | 'clock'>,
  look: OverdueLook,
): Promise<{ gone: DispatchableRun[]; stuck: PlacedRun[]; behind: RunCursor | undefined }> {
  const { runs, behind } = await lookBehindPauses(look, db);
  const places = runs.length === 0 ? [] : await contents.places(runs.map(toRef));
  const placed = runs.map((run, index) => ({ run, place: places[index] ?? GONE }));
  return {
    gone: placed.filter(({ place }) => place.at === 'gone').map(({ run }) => run),
    stuck: placed.filter(({ place }) => isStuck(place, clock.now())),
    behind,
  };
}

async function lookBehindPauses(
  { limit, lookAt, behind }: OverdueLook,
  db: Database,
): Promise<{ runs: DispatchableRun[]; behind: RunCursor | undefined }> {
  const { runs, next } = await overdueRuns(db, { overdueMs: OVERDUE_MS, limit, lookAt });
  const room = limit - runs.length;
  if (!next || room === 0) return { runs, behind };
  const further = await overdueRuns(db, { overdueMs: OVERDUE_MS, limit: room, lookAt, after: behind ?? next });
  return { runs: [...runs, ...further.runs], behind: further.next };
}

/**
 * Looks where the jobs of the most overdue runs are. One that is gone is added again. One that a worker took and none
 * has (the worker died, or the answer of a Redis that hung never reached it), and one that no worker can reach, is
 * queued anew under the next dispatch number: BullMQ itself would give it back after its lock and two checks.
 */
export function overdueRunsStep(options: OverdueRunsOptions, vanished: Pick<VanishedJobs, 'add'>): HealingStep {
  const { db, deadMs } = options;

  let behind: RunCursor | undefined;

  async function heal(): Promise<Healed> {
    const found = await findOverdueRuns(options, { limit: BATCH, lookAt: LOOKED_AT, behind });
    behind = found.behind;
    const missing = await putBack(found.gone, options);
    // What Redis did not take has not vanished.
    if (missing === found.gone.length) vanished.add(found.gone);
    const stuck = await queueAnew(found.stuck);
    return { counts: { missing_job: missing, stuck_job: stuck }, more: missing + stuck === BATCH };
  }

  // Between the two the run is queued without a job, which the next pass heals.
  async function queueAnew(stuck: readonly PlacedRun[]): Promise<number> {
    if (stuck.length === 0) return 0;
    const candidates = stuck.map(({ run, place }) => ({ ...run, takenAt: place.at === 'taken' ? place.since : null }));
    const runs = await redispatchRuns(db, candidates, { deadMs });
    await putBack(runs, options);
    return runs.length;
  }

  return { name: 'overdue runs', among: 'live', heal };
}

const GONE: JobPlace = { at: 'gone' };

/** Whether a run's job may never bring it to a worker. Of one that a worker took, the ledger knows more. */
function isStuck(place: JobPlace, now: Date): boolean {
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
