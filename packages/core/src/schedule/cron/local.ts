import { DAY } from '../../clock.ts';
import { civilDate, dayNumber } from '../civil.ts';
import { lowestBit, nextTime } from '../day-times.ts';
import type { LocalTimes } from '../zoned.ts';
import { type DayOffset, firstMovedTo, movedDay, NO_OFFSET } from './day-offset.ts';
import { dayMask } from './day-rule.ts';
import type { CronPattern } from './pattern.ts';

const DAY_SECONDS = DAY / 1000;
/** The longest wait between two matching dates is 40 years (29 February on a given weekday, around 2100). */
const HORIZON_YEARS = 400;

/** The wall-clock times that match a pattern, on the days that its matching days become. */
export function cronTimes(pattern: CronPattern, offset = NO_OFFSET): LocalTimes {
  if (offset.days === 0) return { next: (from) => nextLocal(pattern, from) };
  return { next: (from) => nextMoved(pattern, offset, from) };
}

function nextMoved(pattern: CronPattern, offset: DayOffset, from: number): number {
  const day = Math.floor(from / DAY_SECONDS);
  const found = nextMovedDay(pattern, offset, day);
  if (found !== day) return found * DAY_SECONDS + pattern.firstTime;
  const time = nextTime(pattern, from - day * DAY_SECONDS);
  if (time >= 0) return day * DAY_SECONDS + time;
  return nextMovedDay(pattern, offset, day + 1) * DAY_SECONDS + pattern.firstTime;
}

/** The first day at or after the given one that a matching day becomes, or Infinity. */
function nextMovedDay(pattern: CronPattern, offset: DayOffset, day: number): number {
  const matching = nextDay(pattern, firstMovedTo(day, offset));
  return matching === Number.POSITIVE_INFINITY ? matching : movedDay(matching, offset);
}

function nextLocal(pattern: CronPattern, from: number): number {
  const day = Math.floor(from / DAY_SECONDS);
  if (dayMatches(pattern, day)) {
    const time = nextTime(pattern, from - day * DAY_SECONDS);
    if (time >= 0) return day * DAY_SECONDS + time;
  }
  return nextDay(pattern, day + 1) * DAY_SECONDS + pattern.firstTime;
}

function dayMatches(pattern: CronPattern, day: number): boolean {
  if (pattern.day.always) return true;
  const date = civilDate(day);
  return (
    (pattern.month & (1 << date.month)) !== 0 &&
    (pattern.years === null || pattern.years.includes(date.year)) &&
    (dayMask(pattern.day, date.year, date.month) & (1 << (date.day - 1))) !== 0
  );
}

/** The first matching day at or after the given one, or Infinity. */
function nextDay(pattern: CronPattern, day: number): number {
  if (pattern.day.always) return day;
  const date = civilDate(day);
  if (nextYear(pattern, date.year) === date.year) {
    const found = dayInYear(pattern, date.year, date.month, -1 << (date.day - 1));
    if (found !== undefined) return found;
  }
  const next = nextYear(pattern, date.year + 1);
  for (let year = next; year < next + HORIZON_YEARS; year = nextYear(pattern, year + 1)) {
    const found = dayInYear(pattern, year, 1, -1);
    if (found !== undefined) return found;
  }
  return Number.POSITIVE_INFINITY;
}

/** The first matching day of a year from the given month on; of that month only the flagged days count. */
function dayInYear(pattern: CronPattern, year: number, fromMonth: number, flagged: number): number | undefined {
  for (let month = fromMonth; month <= 12; month++) {
    if (!(pattern.month & (1 << month))) continue;
    const days = dayMask(pattern.day, year, month) & (month === fromMonth ? flagged : -1);
    if (days !== 0) return dayNumber(year, month, 1) + lowestBit(days);
  }
  return undefined;
}

function nextYear({ years }: CronPattern, year: number): number {
  if (years === null) return year;
  // Equivalent mutant (default): a loop ends at undefined as it does at infinity.
  return years.find((candidate) => candidate >= year) ?? Number.POSITIVE_INFINITY;
}
