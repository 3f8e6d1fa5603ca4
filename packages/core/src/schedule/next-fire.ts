import { EscapementError } from '../errors.ts';
import { FIRST_INSTANT_MS, LAST_INSTANT_MS } from '../instant.ts';
import type { RruleSchedule, Schedule } from './schedule.ts';
import { nextZoned } from './zoned.ts';

/**
 * The first instant strictly after `after` at which the schedule fires, or null if it never does again: before 1970 and after 9999
 * nothing fires.
 * A fixed delay is counted from `after`: pass the end of the last run. Pure: reads no clock. Jitter is not
 * in it (see `jitterOf`).
 */
export function nextFire(schedule: Schedule, after: Date): Date | null {
  const time = after.getTime();
  if (Number.isNaN(time)) throw new EscapementError('invalid_instant', 'nextFire was asked after an invalid Date');
  const fire = nextFireMs(schedule, time);
  return fire === undefined ? null : new Date(fire);
}

/**
 * The fires after `from` and up to `to`, both inclusive only at the end: (from, to]. At most `limit`,
 * default 1000; ask again after the last one for more.
 */
export function firesBetween(schedule: Schedule, from: Date, to: Date, limit = 1000): Date[] {
  const fires: Date[] = [];
  let fire = nextFire(schedule, from);
  while (fire && fire <= to && fires.length < limit) {
    fires.push(fire);
    fire = nextFire(schedule, fire);
  }
  return fires;
}

function nextFireMs(schedule: Schedule, after: number): number | undefined {
  const fire = unboundedNext(schedule, after);
  return fire <= Math.min(schedule.endAt, LAST_INSTANT_MS) ? fire : undefined;
}

/** Infinity where there is none. `endAt` is not yet looked at. */
function unboundedNext(schedule: Schedule, after: number): number {
  // A fire at startAt itself counts.
  const past = Math.max(after, schedule.startAt - 1, FIRST_INSTANT_MS - 1);
  switch (schedule.kind) {
    case 'cron':
      return nextZoned(schedule.times, Math.floor(past / 1000) + 1) * 1000;
    case 'every':
      return (Math.floor((past - schedule.phaseMs) / schedule.everyMs) + 1) * schedule.everyMs + schedule.phaseMs;
    case 'fixed-delay':
      return Math.max(after + schedule.delayMs, schedule.startAt, FIRST_INSTANT_MS);
    case 'rrule':
      return nextRecurrence(schedule, Math.floor(past / 1000) + 1) * 1000;
    case 'once':
      return schedule.at > past ? schedule.at : Number.POSITIVE_INFINITY;
    case 'manual':
      return Number.POSITIVE_INFINITY;
  }
}

function nextRecurrence({ recurrence, until, added }: RruleSchedule, from: number): number {
  const recurring = nextZoned(recurrence, from);
  const next = recurring <= until ? recurring : Number.POSITIVE_INFINITY;
  return added ? Math.min(next, nextZoned(added, from)) : next;
}
