import { civilDate, dayNumber, weekday } from '../civil.ts';
import type { Frequency } from './read.ts';

const DAY_SECONDS = 86_400;

/** The stretches a rule counts its interval in: its first one is the one that holds the start. */
export interface Periods {
  freq: Frequency;
  interval: number;
  weekStart: number;
  /** Number of the period that holds the start. */
  first: number;
}

const SECONDS: { readonly [freq in Frequency]?: number } = {
  HOURLY: 3600,
  MINUTELY: 60,
  SECONDLY: 1,
  DAILY: DAY_SECONDS,
};

/** The number of the period that holds a local second. Years, months, weeks, days, ... since the epoch. */
export function periodOf({ freq, weekStart }: Omit<Periods, 'first' | 'interval'>, at: number): number {
  const seconds = SECONDS[freq];
  if (seconds !== undefined) return Math.floor(at / seconds);
  const day = Math.floor(at / DAY_SECONDS);
  if (freq === 'WEEKLY') return Math.floor((day - weekOffset(weekStart)) / 7);
  const { year, month } = civilDate(day);
  return freq === 'YEARLY' ? year : year * 12 + month - 1;
}

/** The first local second of a period. */
export function startOf({ freq, weekStart }: Periods, period: number): number {
  const seconds = SECONDS[freq];
  if (seconds !== undefined) return period * seconds;
  if (freq === 'WEEKLY') return (period * 7 + weekOffset(weekStart)) * DAY_SECONDS;
  if (freq === 'YEARLY') return dayNumber(period, 1, 1) * DAY_SECONDS;
  return dayNumber(Math.floor(period / 12), (((period % 12) + 12) % 12) + 1, 1) * DAY_SECONDS;
}

/** The first period at or after the given one that the interval does not leave out. */
export function aligned({ first, interval }: Periods, period: number): number {
  return period <= first ? first : first + Math.ceil((period - first) / interval) * interval;
}

/** The day number of some day that begins a week. */
function weekOffset(weekStart: number): number {
  return (weekStart - weekday(0) + 7) % 7;
}
