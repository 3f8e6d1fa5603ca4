import type { CatchUpPolicy } from '../plan/catch-up-policy.ts';
import type { RunState } from '../run-state.ts';
import type { CalendarsInForce } from '../schedule/oracle/calendar.ts';
import type { ScheduleSpec } from '../schedule/spec.ts';
import type { ZoneRules } from '../schedule/zone-rules.ts';

/** A version of a task and the time in which it says what is due: from `effectiveAt`, itself included, to `endedAt`. */
export interface InForce {
  version: number;
  /** What the task was called then: it spreads `H` fields. Default: as it is called now. */
  name?: string | undefined;
  schedule: ScheduleSpec;
  effectiveAt: Date;
  /** Null: still in force. */
  endedAt: Date | null;
  /** When it was saved, if it was saved ahead. Default: `effectiveAt`. */
  savedAt?: Date;
  /** Rows were made by it since then, with these calendars: ahead of the time in which it says what is due. Default: `effectiveAt`. */
  knownFrom?: Date;
  /** Each occurrence is a run on every worker. Default: it is not. */
  onEveryWorker?: boolean;
  /** As the task says; undefined: the default. */
  catchUp?: CatchUpPolicy | undefined;
  /** As the task says; undefined: the default. */
  misfireThresholdMs?: number | undefined;
  /** The calendars it uses, as they were in force in that time. */
  calendars?: CalendarsInForce | undefined;
  /** What was written down of time zones then, by their names. Default: what this process knows of them. */
  zones?: ReadonlyMap<string, ZoneRules> | undefined;
}

/** A time in which nothing starts: from `fromAt`, itself included, to `untilAt`, which no longer belongs to it. */
export interface LedgerPause {
  fromAt: Date;
  /** Null: until resumed. */
  untilAt: Date | null;
}

/** A row of the ledger as it is read to be verified. */
export interface LedgerRow {
  runId: string;
  /** Of the task. */
  version: number;
  scheduledFor: Date;
  createdAt: Date;
  origin: 'schedule' | 'catch_up' | 'backfill';
  state: RunState;
  /** Of a row that ended. */
  reason: string | null;
  /** Last occurrence of a stretch in one row; null: a single one. */
  untilAt: Date | null;
  occurrences: number;
  /** The worker that it belongs to; null: to none. */
  worker: string | null;
  dueAt: Date;
  /** Of the last attempt. */
  startedAt: Date | null;
  finishedAt: Date | null;
  attempt: number;
  /** It waited for its key. */
  waited: boolean;
  /** A person let it run. */
  released: boolean;
}

/** What the ledger has of a task in (from, to], and what it should have. */
export interface LedgerQuestion {
  /** Spreads `H` fields. */
  name: string;
  versions: readonly InForce[];
  /** Its occurrence rows in (from, to] by time, and the last one before: it may be a stretch that reaches into it. */
  rows: readonly LedgerRow[];
  /** The workers that occurrences in (from, to] were planned for, by their instant in epoch milliseconds. Default: none was. */
  workers?: ReadonlyMap<number, readonly string[]> | undefined;
  /** Those that reach into (from, to]. */
  pauses: readonly LedgerPause[];
  from: Date;
  to: Date;
  /** Schedulers are at work, and have come so far with this task: what is due from then on has no rows yet. Null: they have nothing to do. */
  plannedTo?: Date | null | undefined;
  /** Versions whose schedule ends after so many runs, and has had them. Only asked of those that count from the end of a run. Default: none. */
  over?: ReadonlySet<number>;
  /** When the rows were read. */
  asOf: Date;
}

const FINDING_KINDS = [
  /** Due by the schedule, in no row. */
  'missing',
  /** Due, and schedulers, who are at work, have not come so far yet. No gap: they make its row. */
  'unplanned',
  /** In a row, due by no schedule that was in force. */
  'unexpected',
  /** A row for a stretch counts other than the schedule does. */
  'miscounted',
  /** Started before it was due. */
  'early',
  /** Started, though a calendar excludes it or it falls into a pause. */
  'not_skipped',
  /** Skipped for a calendar or a pause, and there is none that says so. */
  'wrongly_skipped',
  /** Started against the catch-up policy of its task. */
  'against_policy',
  /** Overdue, and not started, skipped or missed. No gap: it is in the ledger, and still to come. */
  'not_started',
  /** Started more than a minute late. No gap: it did run. */
  'late',
  /** The ledger has rows of a task that no longer is in the database, not even as deleted. */
  'vanished',
  /** The roll-up of an hour does not say what the ledger says of it. */
  'wrongly_rolled_up',
] as const;

export type FindingKind = (typeof FINDING_KINDS)[number];

export interface OccurrenceFinding {
  kind: FindingKind;
  /** The occurrence. */
  scheduledFor: Date;
  runId: string | null;
  /** For people. */
  detail: string;
}

/** Tells if a finding breaks a promise: every occurrence is accounted for, none starts early, and none against the policy of its task. */
export function isGap({ kind }: { kind: FindingKind }): boolean {
  return kind !== 'late' && kind !== 'not_started' && kind !== 'unplanned';
}
