import { daysInMonth } from '../civil.ts';
import { ScheduleError } from '../error.ts';
import { type DayRule, dayMask, dayRule } from './day-rule.ts';
import type { CronReading, ReadField } from './read.ts';

/** Sixty flags: 0 to 29 in `low`, 30 to 59 in `high`. */
export interface Sixty {
  low: number;
  high: number;
}

/** An expression made ready for searching: flags only, some 300 bytes. */
export interface CronPattern {
  second: Sixty;
  minute: Sixty;
  /** Bits 0 to 23. */
  hour: number;
  /** Bits 1 to 12. */
  month: number;
  /** Ascending, or null for every year. */
  years: readonly number[] | null;
  day: DayRule;
  /** Seconds since midnight of the first time on a day. */
  firstTime: number;
  /** Second, minute or hour holds a wildcard, range or step: it follows elapsed time through a change of the clock. */
  interval: boolean;
}

/** Throws `ScheduleError` (`cron_never`) where no date matches. */
export function cronPattern(reading: CronReading, dayMatch: 'or' | 'and' | undefined): CronPattern {
  const { second, minute, hour, month, year } = reading.fields;
  const first = [hour, minute, second].map((field) => field.values[0] ?? 0);
  const pattern: CronPattern = {
    second: sixty(second.values),
    minute: sixty(minute.values),
    hour: bits(hour.values),
    month: bits(month.values),
    years: year.text === '*' ? null : year.values,
    day: dayRule(reading, dayMatch),
    firstTime: ((first[0] ?? 0) * 60 + (first[1] ?? 0)) * 60 + (first[2] ?? 0),
    interval: [second, minute, hour].some(isInterval),
  };
  refuseNever(pattern, reading);
  return pattern;
}

function isInterval(field: ReadField): boolean {
  return field.items.some((item) => item.kind !== 'value');
}

export function bits(values: readonly number[]): number {
  return values.reduce((mask, value) => mask | (1 << value), 0);
}

function sixty(values: readonly number[]): Sixty {
  return {
    low: bits(values.filter((value) => value < 30)),
    high: bits(values.filter((value) => value >= 30).map((value) => value - 30)),
  };
}

/** The Gregorian calendar repeats after 400 years, and the longest wait between two equal dates is 40. */
function refuseNever(pattern: CronPattern, { fields }: CronReading): void {
  const years = pattern.years ?? Array.from({ length: 400 }, (_, index) => 2000 + index);
  for (const year of years)
    for (let month = 1; month <= 12; month++)
      if (pattern.month & (1 << month) && dayMask(pattern.day, year, month) !== 0) return;
  const longest = Math.max(...fields.month.values.map((month) => daysInMonth(2000, month)));
  const written = `${fields.dayOfMonth.text} ${fields.month.text} ${fields.dayOfWeek.text}`;
  throw new ScheduleError('cron_never', `the date "${written}" never comes`, {
    part: written,
    allowed: `a date that exists: ${monthsOf(fields.month)} at most ${longest} days`,
  });
}

function monthsOf(month: ReadField): string {
  return month.text === '*' ? 'a month has' : `month ${month.text} has`;
}
