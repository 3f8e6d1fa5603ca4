import { daysInMonth } from '../civil.ts';
import { isSpan } from '../cron/item.ts';
import { type CronReading, readCron } from '../cron/read.ts';
import { describeSchedule } from '../explain/describe.ts';
import { ordinal, WEEKDAYS } from '../explain/wording.ts';
import type { CronSchedule } from '../schedule.ts';
import type { ScheduleLint } from './schedule-lint.ts';

export function lintDays(schedule: CronSchedule): ScheduleLint[] {
  const { spec, expression, pattern } = schedule;
  const reading = readCron(expression, spec.dialect ?? 'unix');
  if (!pattern.day.either) return [...lintPlus(reading), ...lintShortMonths(reading)];
  const nth = nthWeekday(reading);
  return [nth ?? eitherDay(schedule, reading)];
}

function eitherDay(schedule: CronSchedule, { dialect }: CronReading): ScheduleLint {
  return {
    code: 'either_day_field',
    message: `both day fields are set, and a day that matches one of them is enough: ${describeSchedule(schedule)}`,
    fix: `${dialect.bothDays ? '+ before the day of week, or ' : ''}dayMatch: "and" asks for both; * in one field leaves it to the other`,
  };
}

/** `+` joins two fields: where one of them has every day it does nothing. */
function lintPlus({ bothDays, fields: { dayOfMonth, dayOfWeek } }: CronReading): ScheduleLint[] {
  const full = [dayOfMonth, dayOfWeek].find((field) => field.items.some((item) => item.kind === 'all'));
  if (!bothDays || !full) return [];
  return [
    {
      code: 'needless_plus',
      message: `the + before the day of week does nothing: the ${full === dayOfMonth ? 'day of month' : 'day of week'} is any`,
      fix: 'days of the month as well as of the week, as in "0 9 1-7 * +MON": the first Monday',
    },
  ];
}

/** `1-7 * 1`: seven days in a row and a weekday, by which people mean the nth such weekday of the month. */
function nthWeekday({ dialect, fields }: CronReading): ScheduleLint | undefined {
  const { dayOfMonth, dayOfWeek } = fields;
  const [first = 0, last = 0] = [dayOfMonth.values[0], dayOfMonth.values.at(-1)];
  const [weekday] = dayOfWeek.values;
  const isWeek = dayOfMonth.values.length === 7 && last - first === 6 && first % 7 === 1;
  const plain = [...dayOfMonth.items, ...dayOfWeek.items].every(isSpan);
  if (!isWeek || !plain || weekday === undefined || dayOfWeek.values.length !== 1) return undefined;
  const nth = (first - 1) / 7 + 1;
  const name = WEEKDAYS[weekday] ?? '';
  return {
    code: 'not_the_nth_weekday',
    message: `this is not the ${ordinal(nth)} ${name} of the month: it is each of the days ${first} to ${last}, and each ${name} as well`,
    fix: dialect.specialDays ? `day of week ${weekday}#${nth}, day of month *` : 'dayMatch: "and"',
  };
}

/** A day that some of the months do not have, without L. */
function lintShortMonths({ dialect, fields }: CronReading): ScheduleLint[] {
  const { dayOfMonth, month } = fields;
  const first = dayOfMonth.values[0] ?? 0;
  const short = month.values.filter((value) => daysInMonth(2001, value) < first);
  if (first <= 28 || short.length === 0 || !dayOfMonth.items.every(isSpan)) return [];
  const leapDay = month.values.length === 1 && month.values[0] === 2;
  return [
    {
      code: 'short_months',
      message: leapDay ? '29 February comes in leap years only' : `months without a day ${first} are left out`,
      ...(dialect.specialDays ? { fix: 'L is the last day of any month' } : {}),
    },
  ];
}
