import { z } from 'zod';
import { RESOLUTIONS } from './resolution.ts';
import { RUN_ORIGINS, RUN_STATES } from './run-state.ts';

/** Which runs, all bounds together. */
const selection = {
  /** Of these tasks only, by name; null: of all. */
  tasks: z.array(z.string()).nullable(),
  /** The selector that chose them when it was asked for; null: they were named. */
  labels: z.string().nullable(),
  states: z.array(z.enum(RUN_STATES)).min(1),
  /** Scheduled then or later, ISO 8601; null: no bound. */
  since: z.string().nullable(),
  /** Scheduled before then, ISO 8601. */
  until: z.string(),
  /** When it was asked for, ISO 8601: what ends later may be what the act itself has made. */
  askedAt: z.string(),
  /** At most so many, the oldest first; null: all. */
  limit: z.int().min(1).nullable(),
  /** The query that chose them, as it was written; null: they were chosen otherwise. */
  query: z.string().nullable().default(null),
  /** Null: of any key. */
  key: z.string().nullable().default(null),
  /** Those of the worker of this name; null: of any. */
  worker: z.string().nullable().default(null),
  /** Null: wherever they came from. */
  origins: z.array(z.enum(RUN_ORIGINS)).nullable().default(null),
  /** Words of the reason or the error; null: whatever they are. */
  error: z.string().nullable().default(null),
  /** The words are looked for in reasons alone: whoever asked may not see errors. */
  reasonsOnly: z.boolean().default(false),
};

/** The tasks that a selector of labels chose when it was asked for, by name. */
const labelled = { labels: z.string(), tasks: z.array(z.string()) };

/** Held runs. */
const held = {
  tasks: selection.tasks,
  labels: selection.labels,
  latestOnly: z.boolean(),
  /** Only these, by their ids; null: all. */
  runs: z.array(z.string()).nullable().default(null),
};

/**
 * A bulk action: written as a row, and carried out by schedulers, a chunk a pass. Whoever dies in the middle is
 * taken over from; each run or task is done once.
 */
export const bulkAction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cancel_runs'), ...selection }),
  /** `sameVersion`: with the definition that each run had. */
  z.strictObject({ kind: z.literal('rerun_runs'), ...selection, sameVersion: z.boolean() }),
  /** Only what has not been run again yet. */
  z.strictObject({ kind: z.literal('redrive_runs'), ...selection }),
  /** Says what became of runs that are `unknown`. */
  z.strictObject({ kind: z.literal('resolve_runs'), ...selection, as: z.enum(RESOLUTIONS) }),
  /** These runs, that were taken for failures of one kind when it was asked for; only what has not been run again yet. */
  z.strictObject({ kind: z.literal('redrive_named'), error: z.string(), runs: z.array(z.string()) }),
  /** With `latestOnly` the newest of each task, and the older ones end as missed. `spacingMs` between two of them. */
  z.strictObject({
    kind: z.literal('run_held'),
    ...held,
    spacingMs: z.number().min(0),
    /** When the first is due, ISO 8601; null: as soon as the act begins. */
    fromAt: z.string().nullable().default(null),
    /** Those of the first of these tasks go first, then those of the second, and so on, the others after them; by name. Absent: none is put before others. */
    order: z.array(z.string()).optional(),
  }),
  z.strictObject({ kind: z.literal('drop_held'), ...held }),
  /** `untilAt`: ISO 8601; null: until resumed. */
  z.strictObject({ kind: z.literal('pause_tasks'), ...labelled, untilAt: z.string().nullable() }),
  z.strictObject({ kind: z.literal('resume_tasks'), ...labelled }),
  z.strictObject({ kind: z.literal('trigger_tasks'), ...labelled }),
]);

export type BulkAction = z.output<typeof bulkAction>;

/** What a bulk action has come to. */
const counts = {
  /** Runs, or tasks, that it was about when it began. */
  total: z.int(),
  /** Those that it was done to. */
  done: z.int(),
  /** Of `run_held` with `latestOnly`: the older ones that ended as missed. */
  dropped: z.int(),
  /** Those that had moved on by then: ended, were deleted, or somebody else was faster. */
  passed: z.int(),
  /** Runs that cannot be run again as their task is now, and tasks that cannot be triggered: how many, and the first of them. `runId` null: a task. */
  refusedCount: z.int(),
  refused: z.array(z.object({ runId: z.string().nullable(), taskName: z.string(), why: z.string() })),
};

export const bulkResult = z.object({
  ...counts,
  /** Somebody has cancelled it before it was done to all. */
  cancelled: z.literal(true).optional(),
});

export type BulkResult = z.output<typeof bulkResult>;

/** A run or task that is about to be done: the choice is kept before anything is changed, so that it is the same after a crash. */
const chosen = z.object({
  /** Of a run its id, of a task its name. */
  id: z.string(),
  /** The id of what will be made of it: the run that runs it again, the run of a triggered task, the pause of a paused one. */
  newId: z.string().optional(),
  /** When it is due, ISO 8601. */
  dueAt: z.string().optional(),
});

export type Chosen = z.output<typeof chosen>;

/** How far a bulk action has come, as its row keeps it. */
export const bulkProgress = z.object({
  ...counts,
  /** When it began, ISO 8601. */
  begunAt: z.string(),
  /** Which of its steps it is at, from 0 on. */
  step: z.int(),
  /** The last one that was chosen in this step, as the choice goes on; null: none yet. */
  after: z
    .object({
      id: z.string(),
      priority: z.int(),
      /** Of its task in the order that was asked for, from 1 on; of those that are not in it, the one behind the last. */
      place: z.int().default(1),
    })
    .nullable(),
  /** How many were chosen in this step. */
  chosen: z.int(),
  /** When the next run is due at the earliest, ISO 8601, of `run_held` with a rate. Absent: at once. */
  nextDueAt: z.string().optional(),
  /** Chosen, and not known to be done; empty: choose the next ones. */
  chunk: z.array(chosen),
});

export type BulkProgress = z.output<typeof bulkProgress>;
