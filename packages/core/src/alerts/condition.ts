import { z } from 'zod';
import { DAY, MINUTE, SECOND } from '../clock.ts';
import { isoDays, localTime, timeZone } from './wall-clock.ts';

const span = (leastMs: number) =>
  z
    .int()
    .min(leastMs)
    .max(400 * DAY);

/** Of the latest ends of a task's runs, those of triggers as well. Over with the next success. */
const ofEnds = [
  /** It failed for good, timed out or was quarantined: so many times in a row (default 1), or so often of its last runs. */
  z
    .strictObject({
      kind: z.literal('failed'),
      inARow: z.int().min(1).max(100).optional(),
      of: z.strictObject({ failures: z.int().min(1).max(100), runs: z.int().min(1).max(100) }).optional(),
    })
    .refine(({ inARow, of }) => inARow === undefined || of === undefined, { message: 'give either inARow or of' })
    .refine(({ of }) => of === undefined || of.failures <= of.runs, {
      path: ['of', 'failures'],
      message: 'no more than runs: it would never fire',
    }),
  /** It lost its worker too often. */
  z.strictObject({ kind: z.literal('quarantined') }),
  /** An occurrence was missed: it did not start in time, and was not caught up. */
  z.strictObject({ kind: z.literal('missed') }),
  /** It succeeded, and yet something is wrong with it. At least one bound. */
  z
    .strictObject({
      kind: z.literal('suspicious'),
      /** It ended in less than this. */
      underMs: span(1).optional(),
      /** It ended in less than this share of its usual time (the median, as `task_duration` has it, from 20 runs on). */
      underUsual: z.number().gt(0).lt(1).optional(),
      /** It wrote less than so many bytes of log. */
      minLogBytes: z
        .int()
        .min(1)
        .max(1024 * 1024 * 1024)
        .optional(),
      /** A predicate of SQL/JSON path (ISO/IEC 9075-2) that its output has to meet, as `$.rows > 0`. */
      output: z.string().min(1).max(1000).optional(),
      /** A regular expression, as Postgres has them, that its log has to match. Of the log its last 64 KiB. */
      logHas: z.string().min(1).max(1000).optional(),
      /** One that its log must not match. */
      logLacks: z.string().min(1).max(1000).optional(),
    })
    .refine(({ kind: _, ...bounds }) => Object.keys(bounds).length > 0, { message: 'give at least one bound' }),
] as const;

/** Of runs that are open. Over when no run is so any more. */
const ofOpenRuns = [
  /** It is due for longer than this, and has not begun. */
  z.strictObject({ kind: z.literal('late'), afterMs: span(1 * SECOND) }),
  /** It waits for its key for longer than this. */
  z.strictObject({ kind: z.literal('waiting'), afterMs: span(1 * SECOND) }),
  /** It runs for longer than this, or than so many times its p95 (as `task_duration` has it, from 20 runs on; else `afterMs` alone). */
  z
    .strictObject({
      kind: z.literal('slow'),
      afterMs: span(1 * SECOND).optional(),
      timesP95: z.number().min(1).max(1000).optional(),
    })
    .refine(({ afterMs, timesP95 }) => afterMs !== undefined || timesP95 !== undefined, {
      message: 'give afterMs, timesP95 or both',
    }),
  /** It runs, and has neither reported progress nor written a line for longer than this. */
  z.strictObject({ kind: z.literal('silent'), afterMs: span(5 * SECOND) }),
  /** Nobody knows what became of it, and a person has to say so. */
  z.strictObject({ kind: z.literal('unknown') }),
  /** It was due while nothing ran, and waits for a person to let it go. */
  z.strictObject({ kind: z.literal('held') }),
] as const;

/** Of a task as such. */
const ofTasks = [
  /** Its last success is older than this: whatever the reason, also of a task that is paused or was never planned. */
  z.strictObject({ kind: z.literal('no-success'), forMs: span(1 * MINUTE) }),
  /** By this time of day, on these days, no run of it has started since midnight. Over with the next start. */
  z.strictObject({
    kind: z.literal('not-started-by'),
    /** HH:MM. */
    at: localTime.refine((at) => at !== '00:00', {
      message: 'a later time: nothing starts between midnight and midnight',
    }),
    timeZone,
    /** 1 is Monday, 7 Sunday (ISO 8601). Default: all. */
    days: isoDays.optional(),
  }),
  /** Its next occurrences cannot be worked out. */
  z.strictObject({ kind: z.literal('unplannable') }),
] as const;

/** Of monitors: jobs that run elsewhere, and say by pings how they are. Over as soon as it is not so any more, as after a ping. */
const ofMonitors = [
  /** It was due, and neither a start nor an end of it came within its grace. */
  z.strictObject({ kind: z.literal('monitor-missed') }),
  /** Its last end was a failure. */
  z.strictObject({ kind: z.literal('monitor-failed') }),
  /** It has begun, and not ended for longer than it may run. */
  z.strictObject({ kind: z.literal('monitor-slow') }),
] as const;

/** Of the fleet, or of a pool of it. */
const ofFleet = [
  /** No scheduler has completed a pass of its planner for longer than this, while another loop of one still works. */
  z.strictObject({ kind: z.literal('planner-silent'), overMs: span(1 * SECOND) }),
  /** A task is due to be planned for longer than this. */
  z.strictObject({ kind: z.literal('planner-lag'), overMs: span(1 * SECOND) }),
  /** A pool has runs that are due, and no living worker. */
  z.strictObject({ kind: z.literal('no-worker') }),
  /** A pool has fewer living workers than was said of it. */
  z.strictObject({ kind: z.literal('workers-missing') }),
  /** A worker has vanished without a word in the last 10 minutes. */
  z.strictObject({ kind: z.literal('worker-lost') }),
  /** A run of a pool that is not paused is due for longer than this, and has not begun. */
  z.strictObject({ kind: z.literal('overdue'), overMs: span(1 * SECOND) }),
  /** The scheduler that looks cannot reach Redis. */
  z.strictObject({ kind: z.literal('redis-away') }),
  /** Nobody has looked for longer than this: Postgres or all schedulers were away. Told when it is over. */
  z.strictObject({ kind: z.literal('not-watched'), overMs: span(30 * SECOND) }),
  /** There are monitors, and no API has taken pings for longer than this. */
  z.strictObject({ kind: z.literal('api-away'), overMs: span(5 * SECOND) }),
  /** Queue and ledger differed in the last 10 minutes, in at least so many runs (default 1), by one of these kinds (default: all). */
  z.strictObject({
    kind: z.literal('drift'),
    atLeast: z.int().min(1).optional(),
    kinds: z.array(z.string().min(1)).min(1).optional(),
  }),
  /** Another program has done something to a queue, so that runs do not start. */
  z.strictObject({ kind: z.literal('queue-blocked') }),
  /** The clock of a process is further than this from that of Postgres. */
  z.strictObject({ kind: z.literal('clock-off'), overMs: span(1) }),
  /** The partition of the ledger for the next days is missing. */
  z.strictObject({ kind: z.literal('partition-missing') }),
  /** The database is larger than this. */
  z.strictObject({ kind: z.literal('database-size'), overBytes: z.int().min(1) }),
  /** A token of access that is in use ends within this, at most 30 days: further ahead nobody looks. */
  z.strictObject({ kind: z.literal('token-expires'), withinMs: span(1 * MINUTE) }),
  /** The verification of the ledger has found an occurrence that no row tells of, or a row that says something wrong. */
  z.strictObject({ kind: z.literal('ledger-gap') }),
] as const;

/** When a rule fires. */
export const alertCondition = z.discriminatedUnion('kind', [
  ...ofEnds,
  ...ofOpenRuns,
  ...ofTasks,
  ...ofMonitors,
  ...ofFleet,
]);
export type AlertCondition = z.output<typeof alertCondition>;
export type ConditionKind = AlertCondition['kind'];
export type ConditionOf<Kind extends ConditionKind> = Extract<AlertCondition, { kind: Kind }>;

const kindsOf = <Kind extends ConditionKind>(
  conditions: readonly { shape: { kind: { value: Kind } } }[],
): ReadonlySet<ConditionKind> => new Set(conditions.map(({ shape }) => shape.kind.value));

export const KINDS_OF_ENDS = kindsOf(ofEnds);
/** What happens at an instant, and does not last: there is nothing to wait for. */
export const KINDS_OF_EVENTS: ReadonlySet<ConditionKind> = new Set([...KINDS_OF_ENDS, 'not-watched', 'ledger-gap']);
export const KINDS_OF_OPEN_RUNS = kindsOf(ofOpenRuns);
export const KINDS_OF_TASKS = kindsOf(ofTasks);
export const KINDS_OF_MONITORS = kindsOf(ofMonitors);
export const KINDS_OF_FLEET = kindsOf(ofFleet);
/** Of those of the fleet the ones that are about a pool of it. */
export const KINDS_OF_POOLS: ReadonlySet<ConditionKind> = new Set(['no-worker', 'workers-missing', 'overdue']);
export const CONDITION_KINDS: readonly ConditionKind[] = alertCondition.options.map(({ shape }) => shape.kind.value);
