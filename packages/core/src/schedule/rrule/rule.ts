import { civilDate } from '../civil.ts';
import { type DayTimes, dayTimes } from '../day-times.ts';
import { type DayFilter, dayFilter } from './day-filter.ts';
import { type Periods, periodOf } from './period.ts';
import { FREQUENCIES, type Frequency, type RruleParts } from './read.ts';

const DAY_SECONDS = 86_400;
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
