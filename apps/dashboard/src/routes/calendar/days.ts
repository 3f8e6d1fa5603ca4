import type { components } from '../../api/generated/openapi.ts';
import { weekdayOf } from '../../time/dates.ts';

export type CalendarEffect = components['schemas']['CalendarEffect'];
export type ExcludedDay = CalendarEffect['days'][number];

/** A place in the sheet of a month. */
export interface SheetDay {
  /** `2026-12-25` */
  date: string;
  day: number;
}

/** The days of a month, from 0 on, and how many weekdays of its first week are before them: weeks begin on Monday. */
export function sheetOf(year: number, month: number): { before: number; days: SheetDay[] } {
  const count = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return {
    before: weekdayOf(dateOf(year, month, 1)),
    days: Array.from({ length: count }, (_, index) => ({ date: dateOf(year, month, index + 1), day: index + 1 })),
  };
}

const two = (value: number) => String(value).padStart(2, '0');
const dateOf = (year: number, month: number, day: number) => `${year}-${two(month + 1)}-${two(day)}`;

/** How many days of a year are excluded in one answer and not in the other, and with other hours. */
export function differenceOf(before: readonly ExcludedDay[], after: readonly ExcludedDay[]) {
  const hoursBy = (days: readonly ExcludedDay[]) => new Map(days.map(({ date, hours }) => [date, hours.join()]));
  const was = hoursBy(before);
  const is = hoursBy(after);
  return {
    more: after.filter(({ date }) => !was.has(date)).length,
    fewer: before.filter(({ date }) => !is.has(date)).length,
    other: after.filter(({ date, hours }) => was.has(date) && was.get(date) !== hours.join()).length,
  };
}
