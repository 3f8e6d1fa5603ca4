import type { Budget } from './budget.ts';
import { daysToSkip } from './day-filter.ts';
import { startOf } from './period.ts';
import type { Rule } from './rule.ts';

const DAY_SECONDS = 86_400;

/** The occurrences of a period that BYSETPOS picks out, ascending. They are counted, not made: a year may have millions. */
export function chosen(rule: Rule, period: number, budget: Budget): number[] {
  const { units, positions } = rule;
  const bases = basesOf(rule, period, budget);
  const perBase = units.reduce((product, unit) => product * unit.length, 1);
  const total = bases.length * perBase;
  const indexes = positions.map((position) => (position > 0 ? position - 1 : total + position));
  const inside = [...new Set(indexes)].filter((index) => index >= 0 && index < total).sort((a, b) => a - b);
  return inside.map((index) => (bases[Math.floor(index / perBase)] ?? 0) + timeAt(units, index % perBase));
}

/** What the units are counted from: the days of a period that pass, or the hour, minute or second that it is. */
function basesOf({ periods, days }: Rule, period: number, budget: Budget): number[] {
  const start = startOf(periods, period);
  const end = startOf(periods, period + 1);
  budget.steps -= 10;
  if (end - start < DAY_SECONDS) return [start];
  const found: number[] = [];
  for (let day = start / DAY_SECONDS; day < end / DAY_SECONDS; ) {
    const skip = daysToSkip(days, day);
    budget.steps--;
    if (skip === 0) found.push(day * DAY_SECONDS);
    day += Math.max(1, skip);
  }
  return found;
}

/** The index-th combination of the units, in seconds; the last unit, seconds, turns fastest. */
function timeAt(units: readonly (readonly number[])[], index: number): number {
  let rest = index;
  let weight = 1;
  let time = 0;
  for (const unit of units.toReversed()) {
    time += (unit[rest % unit.length] ?? 0) * weight;
    rest = Math.floor(rest / unit.length);
    weight *= 60;
  }
  return time;
}
