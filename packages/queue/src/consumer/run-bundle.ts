import { SECOND, systemClock } from '@escapement/core';
import { toBullJob, toSingle } from '../jobs/parcels.ts';
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
  /** Resolves when it is time to prepare the run. */
  untilNear(run: RunRef): Promise<void> | undefined;
  /** Takes a place if one becomes free in time. */
  roomWithin(ms: number): Promise<boolean>;
  /** Executes a run in a place that is taken. Never rejects. */
  start(run: RunRef): Promise<void>;
  onError(error: Error): void;
}

/** Starts the runs of a bundle that have a place, gives the rest back, and resolves when what was started has ended. */
export async function runBundle(taken: TakenJob, runs: readonly RunRef[], running: BundleRunning): Promise<void> {
  const { worker, job } = taken;
  const leaving = leaveInGroups(taken);
  const started: Promise<void>[] = [];
  const room = roomFor(taken, running);
  // All at once, so that those which end at about the same time end together.
  const near = runs.map((run) => running.untilNear(run));
  for (const [index, run] of runs.entries()) {
    await near[index];
    if (!(await room())) break;
    const ended = running.start(run).finally(() => {
      worker.freePlace(job);
      leaving.add(run);
    });
    started.push(ended);
  }
  const rest = runs.slice(started.length);
  if (rest.length > 0) await giveBack(taken, rest).catch((error) => running.onError(toError(error)));
  for (const run of rest) {
    worker.freePlace(job);
    leaving.add(run);
  }
  await Promise.all(started);
  leaving.end();
}

/** Tells whether there is a place for the next run, or whether the rest should go to others. */
function roomFor({ worker }: TakenJob, running: BundleRunning): () => Promise<boolean> {
  const givenUpMs = systemClock.monotonicMs() + HOLD_MS;
  return async () => {
    while (running.open) {
      if (await running.roomWithin(NEXT_PLACE_MS)) return true;
      if (systemClock.monotonicMs() > givenUpMs || !(await worker.hasMore())) return false;
    }
    return false;
  };
}

/** As single jobs, each for whoever has a place first. A crash in between is healed by the ledger. */
async function giveBack({ worker, job }: TakenJob, runs: readonly RunRef[]): Promise<void> {
  const urgency = urgencyOf(job.priority);
  const singles = runs.flatMap((run) => toBullJob(toSingle({ ...run, delayMs: 0, ...urgency }), 0));
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
