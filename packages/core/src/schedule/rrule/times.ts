import { ScheduleError } from '../error.ts';
import type { Zone } from '../zone.ts';
import type { LocalTimes, ZonedTimes } from '../zoned.ts';
import { searchBudget } from './budget.ts';
import { type RruleParts, readRrule } from './read.ts';
import { type Rule, rule } from './rule.ts';
import { nextOccurrence } from './search.ts';

/** Steps for counting off all of a rule's occurrences; some 30 ms. */
const MAX_COUNT_STEPS = 100_000;

/** What an rrule schedule is made of. */
export interface RecurrenceTimes {
  recurrence: ZonedTimes;
  /** Seconds since the epoch; the recurrence, but no added date, ends there. */
  until: number;
  /** RDATE. */
  added: ZonedTimes | undefined;
}

export interface RecurrenceSource {
  rule: string;
  /** All dates are local seconds. */
  start: number;
  excluded: readonly number[];
  added: readonly number[];
  zone: Zone;
}

/** Throws `ScheduleError`: what cannot be read, or never happens. */
export function recurrenceTimes({ rule: text, start, excluded, added, zone }: RecurrenceSource): RecurrenceTimes {
  const parts = readRrule(text);
  const ready = { ...rule(parts, start), ...localUntil(parts) };
  const never = nextOccurrence(ready, start, searchBudget()) === Number.POSITIVE_INFINITY;
  if (never && added.length === 0) throw neverHappens(text);
  const counted =
    parts.count === undefined || never ? ready : { ...ready, until: lastCounted(ready, parts.count, text) };
  const all: LocalTimes = { next: (from) => nextOccurrence(counted, from, searchBudget()) };
  const without = new Set(excluded);
  return {
    recurrence: zoned(except(all, without), zone),
    until: instantUntil(parts),
    added: added.length === 0 ? undefined : zoned(except(listed(added), without), zone),
  };
}

/** RFC 5545, 3.3.5: a missing local time takes the offset of before the gap, a doubled one is the first. */
function zoned(local: LocalTimes, zone: Zone): ZonedTimes {
  return { local, zone, gap: 'shift', overlap: 'first' };
}

function except(local: LocalTimes, without: ReadonlySet<number>): LocalTimes {
  // Equivalent mutant (guard removed): it saves a search: nothing is in an empty set.
  if (without.size === 0) return local;
  return {
    next(from) {
      let at = local.next(from);
      while (without.has(at)) at = local.next(at + 1);
      return at;
    },
  };
}

function listed(dates: readonly number[]): LocalTimes {
  const ascending = dates.toSorted((a, b) => a - b);
  return { next: (from) => ascending.find((at) => at >= from) ?? Number.POSITIVE_INFINITY };
}

/** The count is of the rule's own occurrences, before any date is excluded. */
function lastCounted(of: Rule, count: number, text: string): number {
  const budget = { steps: MAX_COUNT_STEPS };
  let last = of.start - 1;
  for (let n = 0; n < count; n++) {
    const next = nextOccurrence(of, last + 1, budget);
    if (budget.steps <= 0) throw countTooFar(text, count);
    if (next === Number.POSITIVE_INFINITY) break;
    last = next;
  }
  return last;
}

function countTooFar(text: string, count: number): ScheduleError {
  return new ScheduleError(
    'rrule_count',
    `the last of ${count} occurrences of "${text}" is too far to be counted off`,
    {
      part: `COUNT=${count}`,
      allowed: 'a smaller COUNT, or UNTIL with the date of the last occurrence',
    },
  );
}

/** UNTIL in UTC ends the recurrence at an instant; without Z it is a local time, and a date is the whole day. */
function localUntil({ until }: RruleParts): { until?: number } {
  if (until === undefined || until.endsWith('Z')) return {};
  return { until: secondsOf(until.includes('T') ? until : `${until}T235959`) };
}

function instantUntil({ until }: RruleParts): number {
  return until?.endsWith('Z') ? secondsOf(until.slice(0, -1)) : Number.POSITIVE_INFINITY;
}

function secondsOf(text: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)) / 1000;
}

function neverHappens(text: string): ScheduleError {
  return new ScheduleError('rrule_never', `the rule "${text}" has no occurrence`, {
    part: text,
    allowed: 'a rule with at least one date at or after dtStart',
  });
}
