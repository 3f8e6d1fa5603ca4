import { z } from 'zod';

/** A run as Redis knows it. */
export interface RunRef {
  /** See `queueName` of core. */
  queue: string;
  runId: string;
  /** How many times the run was queued; a job of an older dispatch is refused when it begins. */
  dispatch: number;
  /**
   * When the run is due by the clock that decides (Postgres'), as Unix time in milliseconds. Its job is brought to a worker
   * shortly before, and the run starts on the dot. Without it the job comes when its delay is over. Default: none.
   */
  dueMs?: number | undefined;
}

/**
 * So long before its run is due a job is made ready, in milliseconds: the time that Redis and a worker need to hand it over.
 * A worker that has no place for it yet has the other runs that are due before it.
 */
export const READY_AHEAD_MS = 32;

export interface RunJob extends RunRef {
  /** Milliseconds until the run is due, by the clock that decides (Postgres'). 0 or less: now. */
  delayMs: number;
  /** 0 to 100, the higher go first. In a queue either all jobs have one or none: those without go before those with. */
  priority?: number | undefined;
  /** It has had its turn once, and goes before all that wait without a priority. */
  first?: boolean;
  /** It is one of a burst, and goes after all of its priority that are none. */
  stepsBack?: boolean;
}

/** How urgent a job is. */
export type Urgency = Pick<RunJob, 'priority' | 'stepsBack'>;

/** Of a job without a priority that steps back: after all others. */
const LAST = 203;

/** The same for BullMQ, where 0 is none and goes before all others, and 1 comes next. */
export function bullPriority({ priority, stepsBack = false }: Urgency): number {
  if (priority === undefined) return stepsBack ? LAST : 0;
  return 201 - 2 * priority + (stepsBack ? 1 : 0);
}

/** The reverse, from what BullMQ says of a job. */
export function urgencyOf(bullPriority: number): Urgency {
  if (bullPriority === 0) return {};
  if (bullPriority >= LAST) return { stepsBack: true };
  const stepsBack = bullPriority % 2 === 0;
  return { priority: (201 + (stepsBack ? 1 : 0) - bullPriority) / 2, stepsBack };
}

/** A run in a bundle: its id, its dispatch number, and when it is due where that is told. */
const member = z.tuple([z.string().min(1).max(100), z.int().min(0), z.number().nullable()]);

/**
 * Only ids cross Redis. `v` says how to read them: a fleet is updated one process after another. 1 is one run, 2 a
 * bundle of several.
 */
export const runJobData = z.discriminatedUnion('v', [
  z.object({
    v: z.literal(1),
    runId: z.string().min(1).max(100),
    dispatch: z.int().min(0),
    dueMs: z.number().optional(),
  }),
  z.object({ v: z.literal(2), runs: z.array(member).min(1).max(1000) }),
]);

export type RunJobData = z.output<typeof runJobData>;

export function runsOf(queue: string, data: RunJobData): RunRef[] {
  if (data.v === 1) return [{ queue, runId: data.runId, dispatch: data.dispatch, dueMs: data.dueMs }];
  return data.runs.map(([runId, dispatch, dueMs]) => ({ queue, runId, dispatch, dueMs: dueMs ?? undefined }));
}
