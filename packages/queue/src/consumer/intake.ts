import { WaitingError } from 'bullmq';
import { WINDOW_MS } from '../jobs/job-batches.ts';
import { READY_AHEAD_MS, type RunRef, runJobData, runsOf } from '../jobs/run-job.ts';
import { toError } from '../redis/connection.ts';
import { isRepeatData, parseRepeatJob, type RepeatJob } from '../repeat/repeat-job.ts';
import { createGatheredWaits } from './gathered-waits.ts';
import type { PlacesByPool } from './places.ts';
import { runBundle } from './run-bundle.ts';
import type { RunConsumerOptions } from './run-consumer-options.ts';
import type { TakenJob } from './taken-job.ts';

export interface IntakeOptions extends RunConsumerOptions {
  now: () => Date;
  onRepeat: (repeat: RepeatJob) => void;
  /** Whether nothing of this queue is to be taken. */
  isHeld: (queue: string) => boolean;
  /** Each job that is taken has one of its pool already. */
  places: PlacesByPool;
}

const MAX_AHEAD_MS = READY_AHEAD_MS + WINDOW_MS;

/** Stands between BullMQ and `execute`: admits jobs or hands them back, and counts what is under way. */
export interface Intake {
  readonly open: boolean;
  /** Runs under way. */
  readonly active: number;
  close(): void;
  reopen(): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  take(taken: TakenJob): Promise<void>;
  /** Executes a run that has no job, if it may and a place is free at this moment; false: it does not. */
  takeWithoutJob(ref: RunRef): boolean;
}

export function createIntake(options: IntakeOptions): Intake {
  const { execute, executeRepeat, onError, onMalformed, now } = options;
  const near = nearWaits(options);
  const underWay = worksUnderWay(options);
  const { run } = underWay;
  let open = true;

  async function runSeveral(taken: TakenJob, runs: readonly RunRef[]): Promise<void> {
    const places = options.places.of(taken.queue);
    let isFirst = true;
    await runBundle(taken, runs, {
      get open() {
        return open;
      },
      isNear: ({ dueMs }) => near.inMs(startOf(dueMs)) <= 0,
      untilNear: ({ dueMs }) => near.wait(startOf(dueMs)),
      async roomWithin(ms) {
        if (!isFirst) return await places.takeWithin(ms);
        isFirst = false;
        return true;
      },
      start: (ref) => run(taken, () => execute(ref)),
      onError,
    });
    if (isFirst) places.free();
  }

  /** Of the stretch in which a run is due. */
  function startOf(dueMs: number | undefined): number | undefined {
    const { prepareTogetherMs: lengthMs = 0 } = options;
    return dueMs === undefined || lengthMs === 0 ? dueMs : Math.floor(dueMs / lengthMs) * lengthMs;
  }

  function handBack(taken: TakenJob): Promise<never> {
    options.places.of(taken.queue).free();
    return giveToOthers(taken);
  }

  return {
    get open() {
      return open;
    },
    get active() {
      return underWay.active;
    },
    close() {
      open = false;
      options.places.refuse();
    },
    reopen() {
      open = true;
    },
    takeWithoutJob(ref) {
      if (!open || options.isHeld(ref.queue) || !options.queues.includes(ref.queue)) return false;
      if (!options.places.of(ref.queue).takeNow()) return false;
      void run(ref, () => execute(ref));
      return true;
    },
    idle: underWay.idle,
    async take(taken) {
      const { queue, job } = taken;
      if (!open || options.isHeld(queue)) return handBack(taken);
      const repeatJob = executeRepeat && repeatOf(taken, now());
      if (executeRepeat && repeatJob) {
        options.onRepeat(repeatJob);
        await near.wait(repeatJob.repeat.scheduledFor.getTime());
        return open ? run(taken, () => executeRepeat(repeatJob.repeat)) : handBack(taken);
      }
      const { data, error } = runJobData.safeParse(job.data);
      const runs = data ? runsOf(queue, data) : [];
      const [first, ...others] = runs;
      if (first && others.length === 0 && data?.v === 1) {
        await near.wait(first.dueMs);
        return open ? run(taken, () => execute(first)) : handBack(taken);
      }
      if (first) return runSeveral(taken, runs);
      options.places.of(queue).free();
      onMalformed?.({ queue, jobId: job.id ?? '?', reason: error ? reasonOf(error) : 'no run' });
    },
  };
}

/** Counts the works under way, each in a place that is taken already, and frees its place when it has ended. */
function worksUnderWay({ places, onError }: Pick<IntakeOptions, 'places' | 'onError'>) {
  const waiters: (() => void)[] = [];
  let active = 0;
  return {
    get active() {
      return active;
    },
    idle: () => (active === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiters.push(resolve))),
    async run({ queue }: Pick<TakenJob, 'queue'>, work: () => Promise<void>): Promise<void> {
      active += 1;
      try {
        await work();
      } catch (error) {
        onError(toError(error));
      } finally {
        places.of(queue).free();
        active -= 1;
        if (active === 0) for (const wake of waiters.splice(0)) wake();
      }
    },
  };
}

/** Who took it early has its places for others until then. The clock may be off: never for longer than jobs come early. */
function nearWaits({ now, prepareMs = 0 }: IntakeOptions) {
  const waits = createGatheredWaits();

  function inMs(dueMs: number | undefined): number {
    if (dueMs === undefined) return 0;
    // One more: clocks count in whole milliseconds, and a timer may ring a fraction of one early.
    return Math.min(dueMs - prepareMs - now().getTime() + 1, MAX_AHEAD_MS);
  }

  return {
    /** In how many milliseconds what is due then is to be prepared; 0 or less: now. */
    inMs,
    wait(dueMs: number | undefined): Promise<void> | undefined {
      const waitMs = inMs(dueMs);
      return waitMs > 0 ? waits.wait(waitMs) : undefined;
    },
  };
}

function repeatOf({ queue, job }: TakenJob, now: Date): RepeatJob | undefined {
  return isRepeatData(job.data) ? parseRepeatJob(queue, job.id ?? '', now) : undefined;
}

function reasonOf(error: { issues: readonly { path: PropertyKey[]; message: string }[] }): string {
  return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}

/** BullMQ may bring one more job after it was told to stop: others shall have it at once. */
async function giveToOthers({ worker, job, token }: TakenJob): Promise<never> {
  worker.freePlaces(job);
  // Should this fail, the job's lock expires and it goes back to the others then.
  await job.moveToWait(token).catch(() => undefined);
  throw new WaitingError();
}
