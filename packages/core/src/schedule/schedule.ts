import type { CronTimes } from './cron/search.ts';
import type { ScheduleSpec } from './spec.ts';

interface Common<Kind extends ScheduleSpec['kind']> {
  readonly kind: Kind;
  /** What it was parsed from. */
  readonly spec: Extract<ScheduleSpec, { kind: Kind }>;
  /** Epoch milliseconds; -Infinity and Infinity where there is no bound. */
  readonly startAt: number;
  readonly endAt: number;
}

export interface CronSchedule extends Common<'cron'>, CronTimes {
  /** What `H` was spread by. */
  readonly seed: string;
}

export interface EverySchedule extends Common<'every'> {
  readonly everyMs: number;
  readonly phaseMs: number;
}

export interface OnceSchedule extends Common<'once'> {
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface ManualSchedule extends Common<'manual'> {}

/** A parsed schedule. Equal specs share one object; never change it. */
export type Schedule = CronSchedule | EverySchedule | OnceSchedule | ManualSchedule;

export type Bounds = Pick<Schedule, 'startAt' | 'endAt'>;
