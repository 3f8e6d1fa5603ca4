import { type Item, isSpan } from '../cron/item.ts';
import type { CronPattern } from '../cron/pattern.ts';
import type { CronReading, ReadField } from '../cron/read.ts';
import { list, MONTHS, ordinal, runs, WEEKDAYS } from './wording.ts';

const weekdayName = (value: number): string => WEEKDAYS[value % 7] ?? '';

/** The days in words, or an empty string where every day counts. */
export function days({ fields }: CronReading, pattern: CronPattern): string {
  const byDay = monthDays(fields.dayOfMonth);
  const byWeekday = weekdays(fields.dayOfWeek);
  const parts = [together(byDay, byWeekday, pattern.day.either), months(fields.month), years(fields.year)];
  return parts.filter((part) => part !== '').join(' ');
}

function together(byDay: string, byWeekday: string, either: boolean): string {
  // A full field that is not written as * makes the other one void: one of the two is always enough.
  if (either && (byDay === '' || byWeekday === '')) return '';
  if (byDay === '') return byWeekday === '' ? '' : `on ${byWeekday}`;
  if (byWeekday === '') return `on ${byDay}`;
  return either ? `on ${byDay}, and also on ${byWeekday},` : `on ${byDay} if that is ${byWeekday}`;
}

function monthDays(field: ReadField): string {
  const plain = field.values.length === 31 ? '' : numberedDays(field.values);
  const special = field.items.filter((item) => !isSpan(item)).map(specialDay);
  return list([plain, ...special].filter((part) => part !== ''));
}

function numberedDays(values: readonly number[]): string {
  if (values.length === 0) return '';
  return `${values.length === 1 ? 'day' : 'days'} ${list(runs(values, String))} of the month`;
}

function weekdays(field: ReadField): string {
  const plain = field.values.length === 7 ? '' : list(weekRuns(field.values));
  const special = field.items.filter((item) => !isSpan(item)).map(specialDay);
  return list([plain, ...special].filter((part) => part !== ''));
}

/** Weekdays in a row are one word also across the end of the week: `Friday to Monday`. */
function weekRuns(values: readonly number[]): string[] {
  const start = values.find((value) => !values.includes((value + 6) % 7)) ?? 0;
  const fromStart = values.map((value) => (value < start ? value + 7 : value)).sort((a, b) => a - b);
  return runs(fromStart, weekdayName);
}

function specialDay(item: Item): string {
  switch (item.kind) {
    case 'nth':
      return `the ${ordinal(item.nth)} ${weekdayName(item.weekday)} of the month`;
    case 'nearest':
      return `the working day (Monday to Friday) nearest to day ${item.day} of the month`;
    case 'last':
      return lastDay(item.back, item.onWeekday);
    default:
      return '';
  }
}

function lastDay(back: number, onWeekday: boolean): string {
  const before = `${back} day${back === 1 ? '' : 's'} before the last day of the month`;
  if (!onWeekday) return back === 0 ? 'the last day of the month' : `the day ${before}`;
  return back === 0
    ? 'the last working day (Monday to Friday) of the month'
    : `the working day (Monday to Friday) nearest to ${before}`;
}

function months(field: ReadField): string {
  if (field.values.length === 12) return '';
  return `in ${list(runs(field.values, (month) => MONTHS[month] ?? ''))}`;
}

function years(field: ReadField): string {
  return field.text === '*' ? '' : `in ${list(runs(field.values, String))}`;
}
