import { daysInMonth } from '../civil.ts';
import { type DayTimes, dayTimes, flags } from '../day-times.ts';
import { ScheduleError } from '../error.ts';
import { type DayRule, dayMask, dayRule } from './day-rule.ts';
import type { CronReading, ReadField } from './read.ts';

/** An expression made ready for searching: flags only, some 300 bytes. */
export interface CronPattern extends DayTimes {
  /** Bits 1 to 12. */
  month: number;
  /** Ascending, or null for every year. */
  years: readonly number[] | null;
  day: DayRule;
  /** Second, minute or hour holds a wildcard, range or step: it follows elapsed time through a change of the clock. */
  interval: boolean;
}

/** Throws `ScheduleError`: `cron_never` where no date matches, `cron_day_match` where the text and dayMatch contradict. */
export function cronPattern(reading: CronReading, dayMatch: 'or' | 'and' | undefined): CronPattern {
  const { second, minute, hour, month, year } = reading.fields;
  refuseContradiction(reading, dayMatch);
  const pattern: CronPattern = {
    ...dayTimes(hour.values, minute.values, second.values),
    month: flags(month.values),
    years: year.text === '*' ? null : year.values,
    day: dayRule(reading, dayMatch),
    interval: [second, minute, hour].some(isInterval),
  };
  refuseNever(pattern, reading);
  return pattern;
}

function refuseContradiction({ bothDays, fields }: CronReading, dayMatch: 'or' | 'and' | undefined): void {
  if (!bothDays || dayMatch !== 'or') return;
  throw new ScheduleError(
    'cron_day_match',
    `"+${fields.dayOfWeek.text}" asks for both day fields, dayMatch for either`,
    {
      part: `+${fields.dayOfWeek.text}`,
      allowed: 'one of them: + in the day of week, or dayMatch "or"',
    },
  );
}

function isInterval(field: ReadField): boolean {
  return field.items.some((item) => item.kind !== 'value');
}

function refuseNever(pattern: CronPattern, { fields }: CronReading): void {
  if (pattern.years?.some((year) => comesIn(pattern, year)) ?? comesInAnyYear(pattern)) return;
  const longest = Math.max(...fields.month.values.map((month) => daysInMonth(2000, month)));
  const written = `${fields.dayOfMonth.text} ${fields.month.text} ${fields.dayOfWeek.text}`;
  throw new ScheduleError('cron_never', `the date "${written}" never comes`, {
    part: written,
    allowed: `a date that exists: ${monthsOf(fields.month)} at most ${longest} days`,
  });
}

/** The Gregorian calendar repeats after 400 years. */
function comesInAnyYear(pattern: CronPattern): boolean {
  // Equivalent mutant (constant): the calendar comes again after 400 years.
  for (let year = 2000; year < 2400; year++) if (comesIn(pattern, year)) return true;
  return false;
}

function comesIn(pattern: CronPattern, year: number): boolean {
  for (let month = 1; month <= 12; month++)
    if (pattern.month & (1 << month) && dayMask(pattern.day, year, month) !== 0) return true;
  return false;
}

function monthsOf(month: ReadField): string {
  return month.text === '*' ? 'a month has' : `month ${month.text} has`;
}
