import type { CronPattern } from './cron/pattern.ts';
import type { RecurrenceTimes } from './rrule/times.ts';
import type { ScheduleSpec } from './spec.ts';
import type { ZonedTimes } from './zoned.ts';

interface Common<Kind extends ScheduleSpec['kind']> {
  readonly kind: Kind;
  /** What it was parsed from. */
  readonly spec: Extract<ScheduleSpec, { kind: Kind }>;
  /** Epoch milliseconds; -Infinity and Infinity where there is no bound. */
  readonly startAt: number;
  readonly endAt: number;
}

export interface CronSchedule extends Common<'cron'> {
  readonly pattern: CronPattern;
  readonly times: ZonedTimes;
  /** The expression, with what H stands for in the place of H. */
  readonly expression: string;
}

export interface EverySchedule extends Common<'every'> {
  readonly everyMs: number;
  /** Distance of the grid from the epoch, less than everyMs. */
  readonly phaseMs: number;
}

export interface FixedDelaySchedule extends Common<'fixed-delay'> {
  readonly delayMs: number;
}

export interface RruleSchedule extends Common<'rrule'>, RecurrenceTimes {}

export interface OnceSchedule extends Common<'once'> {
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface ManualSchedule extends Common<'manual'> {}

/** A parsed schedule. Equal specs share one object; never change it. */
export type Schedule =
  | CronSchedule
  | EverySchedule
  | FixedDelaySchedule
  | RruleSchedule
  | OnceSchedule
  | ManualSchedule;
