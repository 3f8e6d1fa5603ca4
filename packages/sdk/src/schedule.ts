import type { CronSpec, ScheduleSpec } from '@escapement/core/schedule';

type CronOptions = Omit<CronSpec, 'kind' | 'expression' | 'timeZone'>;

/**
 * A cron expression on the wall clock of a time zone (IANA name): `cron('0 9 * * MON-FRI', 'Europe/Berlin')`.
 * Dialect `unix` unless `options` say otherwise.
 */
export function cron(expression: string, timeZone: string, options: CronOptions = {}): CronSpec {
  return { kind: 'cron', expression, timeZone, ...options };
}

type EverySpec = Extract<ScheduleSpec, { kind: 'every' }>;

/** A schedule of equal intervals, in milliseconds, counted from the Unix epoch: `every(30 * SECOND)`. At least 1 s. */
export function every(everyMs: number, options: Omit<EverySpec, 'kind' | 'everyMs'> = {}): EverySpec {
  return { kind: 'every', everyMs, ...options };
}
