import { SECOND, systemClock } from '@escapement/core';
import { toBullJob, toSingle } from '../jobs/job-batches.ts';
import { type RunRef, urgencyOf } from '../jobs/run-job.ts';
import { toError } from '../redis/connection.ts';
import type { TakenJob } from './taken-job.ts';

/** So long the runs of a bundle wait for the next place of this worker while others may have nothing to do. */
const NEXT_PLACE_MS = 20;

/** So long they wait for places while there is work for others, too. */
const HOLD_MS = 250;

/** So long after its end a run is still counted as one in the queue. */
const LEAVE_MS = 1 * SECOND;

export interface BundleRunning {
  /** Whether runs may be started. */
  readonly open: boolean;
  /** Whether it is time to prepare the run. */
  isNear(run: RunRef): boolean;
  /** Resolves when it is. */
  untilNear(run: RunRef): Promise<void> | undefined;
  /** Takes a place if one becomes free in time. */
  roomWithin(ms: number): Promise<boolean>;
  /** Executes a run in a place that is taken. Never rejects. */
  start(run: RunRef): Promise<void>;
  onError(error: Error): void;
}

/**
 * Starts each run of a bundle when it is near, if it has a place, and resolves when what was started has ended. A run without a place goes
 * back, and with it those that are near too; who is due later may find one.
 */
export async function runBundle(taken: TakenJob, runs: readonly RunRef[], running: BundleRunning): Promise<void> {
  const { worker, job } = taken;
  const leaving = leaveInGroups(taken);
  const started: Promise<void>[] = [];
  const room = roomFor(taken, running);
  // All at once, so that those which end at about the same time end together.
  const near = runs.map((run) => running.untilNear(run));
  const left = [...runs];
  for (let run = left.shift(); run; run = left.shift()) {
    await near[runs.length - left.length - 1];
    if (await room()) {
      started.push(running.start(run).finally(() => done(run)));
      continue;
    }
    const others = running.open ? countNear(left, running) : left.length;
    const back = [run, ...left.splice(0, others)];
    await giveBack(taken, back).catch((error) => running.onError(toError(error)));
    for (const each of back) done(each);
  }
  await Promise.all(started);
  leaving.end();

  function done(run: RunRef): void {
    worker.freePlace(job);
    leaving.add(run);
  }
}

/** They are in the order in which they are due. */
function countNear(runs: readonly RunRef[], { isNear }: BundleRunning): number {
  const later = runs.findIndex((run) => !isNear(run));
  return later < 0 ? runs.length : later;
}

/** Tells whether there is a place for the next run, or whether the rest should go to others. */
function roomFor({ worker }: TakenJob, running: BundleRunning): () => Promise<boolean> {
  const givenUpMs = systemClock.monotonicMs() + HOLD_MS;
  return async () => {
    while (running.open) {
      if (await running.roomWithin(NEXT_PLACE_MS)) return true;
      if (systemClock.monotonicMs() > givenUpMs || !(await hasMore(worker, running))) return false;
    }
    return false;
  };
}

/** If Redis refuses the question, the rest goes back: the places that BullMQ counts for it must not stay taken. */
async function hasMore(worker: TakenJob['worker'], { onError }: BundleRunning): Promise<boolean> {
  return await worker.hasMore().catch((error) => {
    onError(toError(error));
    return false;
  });
}

/** As single jobs, each for whoever has a place first once it is near. A crash in between is healed by the ledger. */
async function giveBack({ worker, job }: TakenJob, runs: readonly RunRef[]): Promise<void> {
  const urgency = urgencyOf(job.priority);
  const nowMs = worker.now().getTime();
  const singles = runs.flatMap((run) => {
    const delayMs = Math.max(0, (run.dueMs ?? nowMs) - nowMs);
    return toBullJob(toSingle({ ...run, delayMs, ...urgency }), 0);
  });
  await worker.addInFront(singles);
}

/** Takes runs that are done with out of the bundle, several at once. Where it fails, the reconciler's tidying does it. */
function leaveInGroups({ worker, job }: TakenJob) {
  let done: RunRef[] = [];
  let timer: NodeJS.Timeout | undefined;

  function leave(over: boolean): void {
    clearTimeout(timer);
    timer = undefined;
    const runs = done;
    done = [];
    worker.leaveBundle(job, runs, over).catch(() => undefined);
  }

  return {
    add(run: RunRef): void {
      done.push(run);
      timer ??= setTimeout(() => leave(false), LEAVE_MS);
      timer.unref();
    },
    end: () => leave(true),
  };
}
