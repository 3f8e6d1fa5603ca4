import { DAY } from '../../clock.ts';
import { civilDate, dayNumber } from '../civil.ts';
import { dayMask } from './day-rule.ts';
import type { CronPattern, Sixty } from './pattern.ts';

const DAY_SECONDS = DAY / 1000;
/** The longest wait between two matching dates is 40 years (29 February on a given weekday, around 2100). */
const HORIZON_YEARS = 400;

/**
 * The first matching wall-clock time at or after the given one, both in seconds as if the wall clock
 * were UTC; Infinity where none is left.
 */
export function nextLocal(pattern: CronPattern, from: number): number {
  const day = Math.floor(from / DAY_SECONDS);
  if (dayMatches(pattern, day)) {
    const time = nextTime(pattern, from - day * DAY_SECONDS);
    if (time >= 0) return day * DAY_SECONDS + time;
  }
  return nextDay(pattern, day + 1) * DAY_SECONDS + pattern.firstTime;
}

/** The first matching second of a day at or after `time`, or -1. */
function nextTime(pattern: CronPattern, time: number): number {
  const hour = Math.trunc(time / 3600);
  if (pattern.hour & (1 << hour)) {
    const minute = Math.trunc((time % 3600) / 60);
    if (hasBit(pattern.minute, minute)) {
      const second = nextBit(pattern.second, time % 60);
      if (second >= 0) return time - (time % 60) + second;
    }
    const later = nextBit(pattern.minute, minute + 1);
    if (later >= 0) return hour * 3600 + later * 60 + (pattern.firstTime % 60);
  }
  const laterHours = pattern.hour & (-2 << hour);
  return laterHours === 0 ? -1 : lowestBit(laterHours) * 3600 + (pattern.firstTime % 3600);
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
  return years.find((candidate) => candidate >= year) ?? Number.POSITIVE_INFINITY;
}

function hasBit({ low, high }: Sixty, bit: number): boolean {
  return bit < 30 ? (low & (1 << bit)) !== 0 : (high & (1 << (bit - 30))) !== 0;
}

function nextBit({ low, high }: Sixty, from: number): number {
  if (from < 30) {
    const rest = low & (-1 << from);
    if (rest !== 0) return lowestBit(rest);
  }
  const rest = from > 30 ? high & (-1 << (from - 30)) : high;
  return rest === 0 ? -1 : lowestBit(rest) + 30;
}

function lowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}
