import { type CivilDate, civilDate, dayNumber, daysInMonth, weekday } from '../civil.ts';
import { flags } from '../day-times.ts';
import type { RruleParts } from './read.ts';

/** The parts of a rule that choose days; each leaves days out, as in the RFC's table of "limit". */
export interface DayFilter {
  /** Bits 1 to 12. */
  months: number;
  monthDays: ReadonlySet<number>;
  yearDays: ReadonlySet<number>;
  weekNumbers: ReadonlySet<number>;
  weekStart: number;
  /** Bits 0 to 6 from Sunday: weekdays without a number. */
  weekdays: number;
  nth: readonly { weekday: number; nth: number }[];
  /** The nth weekday is counted within the year, not the month. */
  nthOfYear: boolean;
}

const ALL_MONTHS = 0x1ffe;

/** What the rule leaves open about the day, its start fills in (RFC 5545, 3.3.10, at the end). */
export function dayFilter(parts: RruleParts, start: CivilDate): DayFilter {
  const { freq, byDay, byMonth, byMonthDay, byYearDay, byWeekNo } = parts;
  const open = byDay.length + byMonthDay.length + byYearDay.length + byWeekNo.length === 0;
  const startWeekday = weekday(dayNumber(start.year, start.month, start.day));
  const months = open && freq === 'YEARLY' && byMonth.length === 0 ? [start.month] : byMonth;
  const monthDays = open && (freq === 'YEARLY' || freq === 'MONTHLY') ? [start.day] : byMonthDay;
  const plain = byDay.filter((day) => day.nth === undefined).map((day) => day.weekday);
  return {
    months: months.length === 0 ? ALL_MONTHS : flags(months),
    monthDays: new Set(monthDays),
    yearDays: new Set(byYearDay),
    weekNumbers: new Set(byWeekNo),
    weekStart: parts.weekStart,
    weekdays: flags(open && freq === 'WEEKLY' ? [startWeekday] : plain),
    nth: byDay.flatMap((day) => (day.nth === undefined ? [] : [{ weekday: day.weekday, nth: day.nth }])),
    nthOfYear: freq === 'YEARLY' && byMonth.length === 0,
  };
}

/** Whether a day passes, and where it does not, how many days can be passed over with it. */
export function daysToSkip(filter: DayFilter, day: number): number {
  const date = civilDate(day);
  if (!(filter.months & (1 << date.month))) return daysInMonth(date.year, date.month) - date.day + 1;
  const skip =
    daysToMonthDay(filter, date) ||
    daysToYearDay(filter, day, date.year) ||
    daysToWeek(filter, day) ||
    daysToNthOfYear(filter, day, date.year);
  if (skip > 0) return skip;
  return holdsWeekday(filter, day, date) ? 0 : 1;
}

/** Days until the next one of the month that BYMONTHDAY names, or until the next month. */
function daysToMonthDay({ monthDays }: DayFilter, { year, month, day }: CivilDate): number {
  if (monthDays.size === 0) return 0;
  const length = daysInMonth(year, month);
  let next = day;
  while (next <= length && !holds(monthDays, next, length)) next++;
  return next - day;
}

/** Numbers below 0 count from the end; an empty list leaves nothing out. */
function holds(numbers: ReadonlySet<number>, position: number, length: number): boolean {
  return numbers.size === 0 || numbers.has(position) || numbers.has(position - length - 1);
}

/** Days until the next one of the year that BYYEARDAY names, or until the next year. */
function daysToYearDay({ yearDays }: DayFilter, day: number, year: number): number {
  if (yearDays.size === 0) return 0;
  const [first, end] = [dayNumber(year, 1, 1), dayNumber(year + 1, 1, 1)];
  let next = end;
  for (const number of yearDays) {
    const named = number > 0 ? first + number - 1 : end + number;
    if (named >= day && named < next) next = named;
  }
  return next - day;
}

/**
 * Days until the next week that BYWEEKNO names, or until the next year's first. Weeks as in ISO 8601: week 1 is the first
 * with at least four days in the year. It may begin in the year before.
 */
function daysToWeek({ weekNumbers, weekStart }: DayFilter, day: number): number {
  if (weekNumbers.size === 0) return 0;
  const start = day - ((weekday(day) - weekStart + 7) % 7);
  const { year } = civilDate(start + 3);
  const [first, end] = [firstWeek(year, weekStart), firstWeek(year + 1, weekStart)];
  let next = end;
  for (const number of weekNumbers) {
    const named = number > 0 ? first + (number - 1) * 7 : end + number * 7;
    if (named >= start && named < next) next = named;
  }
  return Math.max(0, next - day);
}

/** Days until the next nth weekday of the year, or until the next year, where only those are asked for. */
function daysToNthOfYear({ nth, nthOfYear, weekdays }: DayFilter, day: number, year: number): number {
  if (!nthOfYear || nth.length === 0 || weekdays !== 0) return 0;
  const [first, end] = [dayNumber(year, 1, 1), dayNumber(year + 1, 1, 1)];
  let next = end;
  for (const choice of nth) {
    const ahead = (choice.weekday - weekday(first) + 7) % 7;
    const behind = (weekday(end - 1) - choice.weekday + 7) % 7;
    const named = choice.nth > 0 ? first + ahead + (choice.nth - 1) * 7 : end - 1 - behind + (choice.nth + 1) * 7;
    if (named >= day && named < next) next = named;
  }
  return next - day;
}

function firstWeek(year: number, weekStart: number): number {
  const fourth = dayNumber(year, 1, 4);
  return fourth - ((weekday(fourth) - weekStart + 7) % 7);
}

function holdsWeekday(filter: DayFilter, day: number, date: CivilDate): boolean {
  const { weekdays, nth } = filter;
  if (weekdays === 0 && nth.length === 0) return true;
  const name = weekday(day);
  if (weekdays & (1 << name)) return true;
  return nth.some((choice) => choice.weekday === name && isNth(filter, choice.nth, { day, date }));
}

function isNth({ nthOfYear }: DayFilter, nth: number, { day, date }: { day: number; date: CivilDate }): boolean {
  const first = nthOfYear ? dayNumber(date.year, 1, 1) : day - date.day + 1;
  const end = nthOfYear ? dayNumber(date.year + 1, 1, 1) : first + daysInMonth(date.year, date.month);
  return nth > 0 ? Math.floor((day - first) / 7) + 1 === nth : Math.floor((end - 1 - day) / 7) + 1 === -nth;
}
