import { z } from 'zod';
import { DAY, HOUR, SECOND } from './clock.ts';
import { followerFields } from './follower-fields.ts';
import { handlerFacts } from './handler-kinds.ts';
import { handlerSpec } from './handler-spec.ts';
import { OVERLAP_RULES, overlapPolicy } from './overlap.ts';
import { catchUpPolicy } from './plan/catch-up-policy.ts';
import { rateLimit } from './rate.ts';
import { labels } from './rights/labels.ts';
import { RUN_ON, runOnProblems } from './run-on.ts';
import { calendarUse } from './schedule/calendar/spec.ts';
import { scheduleSpec } from './schedule/spec.ts';
import { shadowOfLine } from './shadow/shadow-of-line.ts';
import { taskName } from './task-name.ts';

/** How many days a finished run is kept unless its task says otherwise, and at most. The SQL functions say the same. */
export const KEPT_DAYS = 30;
export const MOST_KEPT_DAYS = 3650;

/** Longest time a run may take unless the task says otherwise. */
const DEFAULT_TIMEOUT_MS = 1 * HOUR;

export { NAME } from './task-name.ts';

/** Name of a pool of workers (a BullMQ queue). */
export const poolName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'lower-case letters, digits, _ and -');

const retryPolicy = z.strictObject({
  /** Tries in all, the first one included. Default 1. */
  maxAttempts: z.int().min(1).max(1000),
  backoff: z
    .discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('fixed'),
        delayMs: z
          .int()
          .min(0)
          .max(7 * DAY),
      }),
      z.strictObject({
        kind: z.literal('exponential'),
        /** Wait after the first attempt; doubles with each further one. */
        delayMs: z.int().min(1).max(DAY),
        /** Never wait longer. Default 1 h. */
        capMs: z
          .int()
          .min(1)
          .max(7 * DAY)
          .optional(),
        /** Share of the wait that is random, 0 to 1. Default 0.2. */
        jitter: z.number().min(0).max(1).optional(),
      }),
    ])
    .optional(),
});

/**
 * What happens to a run whose end nobody saw. `at-least-once`: it starts again, so its work may be done twice.
 * `at-most-once`: it is never started again blindly; it becomes `unknown`, and a person says what became of it.
 */
const deliveryPolicy = z.enum(['at-least-once', 'at-most-once']);

export const notifyPolicy = z.strictObject({
  /** Addresses that get a mail about alerts of the task, as that a run finally fails. Who is named here is told, and no route is asked. */
  email: z.array(z.email()).max(20).optional(),
  /** URLs that get a JSON POST about them. */
  webhook: z
    .array(z.url({ protocol: /^https?$/ }))
    .max(20)
    .optional(),
  /** Nobody is told, not even the fleet's own people (a crontab's `MAILTO=""`). */
  none: z.boolean().optional(),
});

/** That a task keeps JSON between its runs of a key (at most 256 KiB). */
const stateDeclaration = z.strictObject({
  /** Counts the shapes that the state has had; a state of an older one is given to the task's `migrateState`. Default 1. */
  version: z.int().min(1).max(1_000_000).default(1),
});

const taskFields = z.strictObject({
  name: taskName,
  description: z.string().max(4096).optional(),
  /** What people and rights select tasks by: at most 20 names with a value each. Default: none. */
  labels: labels.optional(),
  schedule: scheduleSpec.default({ kind: 'manual' }),
  /** Calendars whose times are left out, or moved to another day. Default: none. */
  calendars: calendarUse.optional(),
  handler: handlerSpec,
  /** JSON given to the handler; a trigger may replace it. At most 64 KiB. */
  payload: z.json().optional(),
  /** Mutual-exclusion key; may hold `{{payload.field}}`. Default: the task's name. */
  key: z.string().min(1).max(512).optional(),
  /** How many runs of the key may run at once. Default 1. */
  limit: z.int().min(1).max(1000).default(1),
  /**
   * How many of its runs may start within a time, over all workers. What is over it waits, whatever `overlap` says, in the
   * order of due times, and starts when it may. Default: no bound.
   */
  rate: rateLimit.optional(),
  /**
   * An occurrence that has not started so many milliseconds after it was due is a misfire: `catchUp` decides. Default
   * 60 s; half the period of a schedule that is denser than that.
   */
  misfireThresholdMs: z
    .int()
    .min(100)
    .max(30 * DAY)
    .optional(),
  /** What becomes of misfires. Default `latest`, within one period of the schedule and at most 24 h. */
  catchUp: catchUpPolicy.optional(),
  overlap: overlapPolicy.default({ policy: 'skip' }),
  /** Longest time one attempt may take, in milliseconds. Default 1 h. */
  timeoutMs: z
    .int()
    .min(100)
    .max(30 * DAY)
    .default(DEFAULT_TIMEOUT_MS),
  /**
   * How late a run may start for the first time, in milliseconds from its due time; one that could not start by then
   * ends as `missed`. Retries, and reruns that a person asks for, are not bound by it. Default: no deadline.
   */
  startDeadlineMs: z
    .int()
    .min(1 * SECOND)
    .max(30 * DAY)
    .optional(),
  /**
   * A handler that has not reported for so long (`ctx.heartbeat()`, `ctx.progress()`, output of a shell task) is stopped;
   * the attempt has timed out. In milliseconds. Default: it need not report. Not for `http`.
   */
  heartbeatTimeoutMs: z
    .int()
    .min(1 * SECOND)
    .max(7 * DAY)
    .optional(),
  retry: retryPolicy.default({ maxAttempts: 1 }),
  /**
   * `at-most-once` tries again only what the handler itself reported as failed; what was cut off (its worker vanished,
   * time limit, shutdown) becomes `unknown` for a person to resolve. Default `at-least-once`.
   */
  delivery: deliveryPolicy.default('at-least-once'),
  /** How often a run may lose its worker before it is quarantined. Default 3. */
  maxLost: z.int().min(1).max(100).default(3),
  /**
   * Pauses the task as soon as so many occurrences of its schedule in a row have failed, timed out or been quarantined; a
   * person resumes it. Those that are open, or never ran, do not count, nor do triggers; one that succeeded, by a rerun
   * too, ends the row. Default: it is never paused.
   */
  pauseAfterFailures: z.int().min(1).max(100).optional(),
  pool: poolName.default('default'),
  /**
   * `every-worker`: each occurrence, and each trigger, is a run on every worker of the pool that can run the task, as a crontab
   * is on each host. Default: one run, on any of them.
   */
  runOn: z.enum(RUN_ON).optional(),
  /**
   * How urgent its runs are among those that wait for a worker of the pool: 0 to 100, the higher go first, equal ones in
   * the order in which they came. Default 0.
   */
  priority: z.int().min(0).max(100).optional(),
  /**
   * The task keeps JSON between its runs of a key: read at begin, committed with success only. Not with `overlap: allow`
   * or a limit above 1. Default: it keeps nothing.
   */
  state: stateDeclaration.optional(),
  ...followerFields,
  /** A run that begins so many milliseconds after it was due is late, for `onLate`. Default 10 s. */
  lateAfterMs: z
    .int()
    .min(1)
    .max(30 * DAY)
    .optional(),
  /** Also runs once when the fleet comes up after no scheduler has sent a heartbeat for 60 s (`@reboot`). Default false. */
  onFleetStart: z.boolean().optional(),
  /**
   * The task is in the shadow of a line of a crontab, which still runs: its occurrences are planned and skipped. Triggers and backfills
   * run it all the same. Default: it is not.
   */
  shadow: shadowOfLine.optional(),
  notify: notifyPolicy.optional(),
  /** Days a finished run is kept. Default 30. The last run of a task is always kept. */
  retentionDays: z.int().min(1).max(MOST_KEPT_DAYS).default(KEPT_DAYS),
});

/** What a user saves. Unknown keys are refused; everything but name and handler has a default. */
export const taskDefinition = taskFields
  .superRefine(({ handler, heartbeatTimeoutMs, state }, { addIssue }) => {
    const { heartbeatProblem, stateProblems } = handlerFacts(handler);
    if (heartbeatProblem !== null && heartbeatTimeoutMs !== undefined)
      addIssue({ code: 'custom', path: ['heartbeatTimeoutMs'], message: heartbeatProblem });
    if (state !== undefined)
      for (const message of stateProblems) addIssue({ code: 'custom', path: ['state'], message });
  })
  .refine(
    ({ overlap, limit, state }) => state === undefined || (OVERLAP_RULES[overlap.policy].takesSlot && limit === 1),
    {
      path: ['state'],
      message:
        "runs of a key that go on at once would overwrite each other's state; leave out overlap 'allow' and limit",
    },
  )
  .superRefine((task, { addIssue }) => {
    for (const { path, message } of runOnProblems(task)) addIssue({ code: 'custom', path, message });
  });

export type TaskInput = z.input<typeof taskDefinition>;
export type TaskDefinition = z.output<typeof taskDefinition>;
export type RetryPolicy = z.output<typeof retryPolicy>;
export type Delivery = z.output<typeof deliveryPolicy>;
export type NotifyPolicy = z.output<typeof notifyPolicy>;
