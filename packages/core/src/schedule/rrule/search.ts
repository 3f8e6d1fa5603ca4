import { nextTime } from '../day-times.ts';
import type { Budget } from './budget.ts';
import { daysToSkip } from './day-filter.ts';
import { aligned, periodOf, startOf } from './period.ts';
import { chosen } from './positions.ts';
import type { Rule } from './rule.ts';

const DAY_SECONDS = 86_400;
const NEVER = Number.POSITIVE_INFINITY;

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
  // Equivalent mutant (border): one more turn has no step left, and finds nothing.
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
