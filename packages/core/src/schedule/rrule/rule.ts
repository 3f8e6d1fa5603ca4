import { civilDate } from '../civil.ts';
import { type DayTimes, dayTimes, nextTime } from '../day-times.ts';
import { type DayFilter, dayFilter, daysToSkip } from './day-filter.ts';
import { aligned, type Periods, periodOf, startOf } from './period.ts';
import { chosen } from './positions.ts';
import { FREQUENCIES, type Frequency, type RruleParts } from './read.ts';

const DAY_SECONDS = 86_400;
const NEVER = Number.POSITIVE_INFINITY;
/** A hundred years of days: any date that comes at all comes within 40. Some 10 ms. */
const MAX_STEPS = 40_000;
/** 9999-12-31, the last day that RFC 5545 can write. */
const LAST = 253_402_300_799;

/** A rule made ready for searching; all times are local seconds. */
export interface Rule {
  /** Nothing comes before it. */
  start: number;
  /** The last second at which an occurrence may be. */
  until: number;
  periods: Periods;
  days: DayFilter;
  times: DayTimes;
  /** The same times as lists, largest unit first; of the units that a period does not fix. */
  units: readonly (readonly number[])[];
  positions: readonly number[];
}

export function rule(parts: RruleParts, start: number): Rule {
  const { freq, interval, weekStart } = parts;
  const day = Math.floor(start / DAY_SECONDS);
  const time = start - day * DAY_SECONDS;
  const hours = valuesOf(parts.byHour, { own: Math.floor(time / 3600), count: 24, fixed: atLeast(freq, 'DAILY') });
  const minutes = valuesOf(parts.byMinute, {
    own: Math.floor(time / 60) % 60,
    count: 60,
    fixed: atLeast(freq, 'HOURLY'),
  });
  const seconds = valuesOf(parts.bySecond, { own: time % 60, count: 60, fixed: atLeast(freq, 'MINUTELY') });
  const units = [hours, minutes, seconds].slice(Math.max(0, FREQUENCIES.indexOf(freq) - FREQUENCIES.indexOf('DAILY')));
  return {
    start,
    until: LAST,
    periods: { freq, interval, weekStart, first: periodOf({ freq, weekStart }, start) },
    days: dayFilter(parts, civilDate(day)),
    times: dayTimes(hours, minutes, seconds),
    units,
    positions: parts.bySetPos,
  };
}

/** The rule's period is this one or a longer one. */
const atLeast = (freq: Frequency, shortest: Frequency): boolean =>
  FREQUENCIES.indexOf(freq) <= FREQUENCIES.indexOf(shortest);

/** Units below the period come from the start where the rule does not say; those above it are not restricted. */
function valuesOf(
  said: readonly number[],
  { own, count, fixed }: { own: number; count: number; fixed: boolean },
): readonly number[] {
  if (said.length > 0) return said;
  return fixed ? [own] : Array.from({ length: count }, (_, value) => value);
}

/** How many steps a search, or several together, may still take. */
export interface Budget {
  steps: number;
}

export const searchBudget = (): Budget => ({ steps: MAX_STEPS });

/** The first occurrence at or after `from`; Infinity after the last one, and where the budget does not reach it. */
export function nextOccurrence(of: Rule, from: number, budget: Budget): number {
  const first = Math.max(from, of.start);
  const found = of.positions.length > 0 ? nextChosen(of, first, budget) : nextPlain(of, first, budget);
  return found <= of.until ? found : NEVER;
}

/** Looks at day after day, and within a day at time after time, passing over what the interval leaves out. */
function nextPlain({ periods, days, times, until }: Rule, from: number, budget: Budget): number {
  let at = from;
  for (; budget.steps > 0 && at <= until; budget.steps--) {
    const period = periodOf(periods, at);
    const next = aligned(periods, period);
    if (next > period) {
      at = startOf(periods, next);
      continue;
    }
    const day = Math.floor(at / DAY_SECONDS);
    const skip = daysToSkip(days, day);
    const time = skip > 0 ? -1 : nextTime(times, at - day * DAY_SECONDS);
    if (time < 0) at = (day + Math.max(1, skip)) * DAY_SECONDS;
    else if (periodOf(periods, day * DAY_SECONDS + time) === period) return day * DAY_SECONDS + time;
    else at = day * DAY_SECONDS + time;
  }
  return NEVER;
}

/** BYSETPOS: the nth of all occurrences of a period; periods without any are passed over. */
function nextChosen(of: Rule, from: number, budget: Budget): number {
  let period = aligned(of.periods, periodOf(of.periods, from));
  while (budget.steps > 0) {
    const any = nextPlain(of, Math.max(of.start, startOf(of.periods, period)), budget);
    if (any > of.until) return NEVER;
    period = periodOf(of.periods, any);
    const found = chosen(of, period, budget).find((at) => at >= from);
    if (found !== undefined) return found;
    period = aligned(of.periods, period + 1);
  }
  return NEVER;
}
