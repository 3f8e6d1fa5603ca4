import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, WaitingError } from 'bullmq';
import { toError } from './connection.ts';
import { TOGETHER_MS } from './parcels.ts';
import { createPlaces, type Places } from './places.ts';
import type { PoolWorker } from './pool-worker.ts';
import { isRepeatData, parseRepeatJob, type RepeatJob } from './repeat-job.ts';
import { runBundle } from './run-bundle.ts';
import type { RunConsumerOptions } from './run-consumer.ts';
import { READY_AHEAD_MS, type RunRef, runJobData, runsOf } from './run-job.ts';

export interface IntakeOptions extends RunConsumerOptions {
  now: () => Date;
  onRepeat: (repeat: RepeatJob) => void;
}

const MAX_AHEAD_MS = READY_AHEAD_MS + TOGETHER_MS;

/** A job that BullMQ has brought. */
export interface TakenJob {
  pool: string;
  worker: PoolWorker;
  job: Job<unknown, void>;
  token: string | undefined;
}

/** Stands between BullMQ and `execute`: admits jobs or hands them back, and counts what is under way. */
export interface Intake {
  readonly open: boolean;
  /** Runs under way. */
  readonly active: number;
  activeIn(pool: string): number;
  close(): void;
  reopen(): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  take(taken: TakenJob): Promise<void>;
}

export function createIntake(options: IntakeOptions): Intake {
  const { execute, executeRepeat, onError, onMalformed } = options;
  const placesByPool = new Map<string, Places>();
  const waiters: (() => void)[] = [];
  let open = true;
  let active = 0;

  function placesOf(pool: string): Places {
    const places = placesByPool.get(pool) ?? createPlaces(options.concurrency);
    placesByPool.set(pool, places);
    return places;
  }

  /** In a place that is taken already. */
  async function run(places: Places, work: () => Promise<void>): Promise<void> {
    active += 1;
    try {
      await work();
    } catch (error) {
      onError(toError(error));
    } finally {
      places.free();
      active -= 1;
      if (active === 0) for (const wake of waiters.splice(0)) wake();
    }
  }

  async function runOne(pool: string, work: () => Promise<void>): Promise<void> {
    const places = placesOf(pool);
    places.take();
    await run(places, work);
  }

  async function runSeveral(taken: TakenJob, runs: readonly RunRef[]): Promise<void> {
    const places = placesOf(taken.pool);
    await runBundle(taken, runs, {
      get open() {
        return open;
      },
      untilNear: ({ dueMs }) => untilNear(dueMs, options),
      roomWithin: (ms) => places.takeWithin(ms),
      start: (ref) => run(places, () => execute(ref)),
      onError,
    });
  }

  function repeatOf({ pool, job }: TakenJob): RepeatJob | undefined {
    return isRepeatData(job.data) ? parseRepeatJob(pool, job.id ?? '', options.now()) : undefined;
  }

  return {
    get open() {
      return open;
    },
    get active() {
      return active;
    },
    activeIn: (pool) => placesOf(pool).taken,
    close() {
      open = false;
      for (const places of placesByPool.values()) places.refuse();
    },
    reopen() {
      open = true;
    },
    idle: () => (active === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
    async take(taken) {
      const { pool, job } = taken;
      if (!open) return handBack(taken);
      const repeatJob = executeRepeat && repeatOf(taken);
      if (executeRepeat && repeatJob) {
        options.onRepeat(repeatJob);
        await untilNear(repeatJob.repeat.scheduledFor.getTime(), options);
        return open ? runOne(pool, () => executeRepeat(repeatJob.repeat)) : handBack(taken);
      }
      const { data, error } = runJobData.safeParse(job.data);
      const runs = data ? runsOf(pool, data) : [];
      const [first, ...others] = runs;
      if (first && others.length === 0 && data?.v === 1) {
        await untilNear(first.dueMs, options);
        return open ? runOne(pool, () => execute(first)) : handBack(taken);
      }
      if (first) return runSeveral(taken, runs);
      onMalformed?.({ pool, jobId: job.id ?? '?', reason: error ? reasonOf(error) : 'no run' });
    },
  };
}

/** Who took it early has its places for others until then. The clock may be off: never for longer than jobs come early. */
function untilNear(dueMs: number | undefined, { now, prepareMs = 0 }: IntakeOptions): Promise<void> | undefined {
  if (dueMs === undefined) return undefined;
  // One more: clocks count in whole milliseconds, and a timer may ring a fraction of one early.
  const waitMs = dueMs - prepareMs - now().getTime() + 1;
  return waitMs > 0 ? sleep(Math.min(waitMs, MAX_AHEAD_MS)) : undefined;
}

function reasonOf(error: { issues: readonly { path: PropertyKey[]; message: string }[] }): string {
  return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}

/** BullMQ may bring one more job after it was told to stop: others shall have it at once. */
async function handBack({ worker, job, token }: TakenJob): Promise<never> {
  worker.freePlaces(job);
  // Should this fail, the job's lock expires and it goes back to the others then.
  await job.moveToWait(token).catch(() => undefined);
  throw new WaitingError();
}
