import { DAY } from '../../clock.ts';
import { isInstantMs } from '../../instant.ts';
import { weekday } from '../civil.ts';
import { ScheduleError } from '../error.ts';
import { nextFire } from '../next-fire.ts';
import type { Schedule } from '../schedule.ts';
import { type Zone, zoneOf } from '../zone.ts';
import { nextZoned } from '../zoned.ts';
import type { Calendar } from './calendar.ts';
import type { CalendarUse } from './spec.ts';

/** An occurrence is moved by this many days at most; one that finds no day by then stays and is excluded. */
const MAX_SHIFT_DAYS = 31;
/** Working days are counted for so many days; where there are fewer, the last of them is taken. */
const MAX_COUNTED_DAYS = 62;
/** For changes of the clock. */
const SPARE_DAYS = 2;
/** Beyond it no occurrence can have been moved from or to. */
export const MAX_SHIFT_MS = (MAX_SHIFT_DAYS + MAX_COUNTED_DAYS + SPARE_DAYS) * DAY;
/** A denser schedule has nothing to move: its next occurrence comes on the same day anyway. */
const MAX_FIRES_A_DAY = 24;

/** When a task is due, with its calendars. */
export interface Occurrences {
  /** The first one strictly after; null: never again. Of a fixed delay: none, it counts from the end of a run. */
  next(after: Date): Date | null;
  /** Why an occurrence does not run; null: it does. */
  excluded(at: Date): string | null;
}

/** How a task moves its occurrences. */
export type Shift = Pick<CalendarUse, 'shift' | 'workingDayOffset'>;

/** The occurrences of a schedule, without those that calendars exclude, or with these moved to another day. */
export function occurrencesOf(
  schedule: Schedule,
  calendars: readonly Calendar[] = [],
  { shift, workingDayOffset }: Shift = {},
): Occurrences {
  const excluded = (at: Date) => {
    for (const calendar of calendars) {
      const reason = calendar.reasonAt(at);
      if (reason !== null) return reason;
    }
    return null;
  };
  if (schedule.kind === 'fixed-delay') return { next: () => null, excluded };
  const [first] = calendars;
  if (shift === undefined || !first) return { next: (after) => nextFire(schedule, after), excluded };
  const zone = 'timeZone' in schedule.spec ? zoneOf(schedule.spec.timeZone) : first.zone;
  const isFree = (at: Date) => excluded(at) === null && (workingDayOffset === undefined || !isOnWeekend(at, zone));
  const move: Move = { zone, isFree, step: shift === 'next' ? 1 : -1, count: workingDayOffset ?? 0 };
  return { next: (after) => nextMoved(schedule, move, after), excluded };
}

interface Move {
  zone: Zone;
  isFree: (at: Date) => boolean;
  step: 1 | -1;
  /** Free days to go on by, or back if negative. */
  count: number;
}

/** Of all fires that may have been moved to after an instant the one that comes first. */
function nextMoved(schedule: Schedule, move: Move, after: Date): Date | null {
  const { later, earlier } = reachOf(move);
  let best: Date | null = null;
  let fire = nextFire(schedule, new Date(after.getTime() - later));
  for (; fire && (best === null || fire.getTime() < best.getTime() + earlier); fire = nextFire(schedule, fire))
    best = nearer(best, movedBy(fire, move), after);
  return best;
}

/** How far an occurrence may come after its fire, and before it. Milliseconds. */
function reachOf({ step, count }: Move): { later: number; earlier: number } {
  const reach = (shifted: boolean, counted: boolean) => {
    const days = (shifted ? MAX_SHIFT_DAYS : 0) + (counted ? MAX_COUNTED_DAYS : 0);
    return days === 0 ? 0 : (days + SPARE_DAYS) * DAY;
  };
  // Equivalent mutant (constant, 0, count <): a step is 1 or -1.
  return { later: reach(step > 0, count > 0), earlier: reach(step < 0, count < 0) };
}

function nearer(best: Date | null, at: Date, after: Date): Date | null {
  return at > after && isInstantMs(at.getTime()) && (best === null || at < best) ? at : best;
}

function movedBy(at: Date, { zone, isFree, step, count }: Move): Date {
  const local = localOf(at, zone);
  const onDay = (days: number) =>
    days === 0 ? at : new Date(instantOf(local + days * DAY_SECONDS, zone) * 1000 + (at.getTime() % 1000));
  let day = 0;
  while (!isFree(onDay(day))) {
    day += step;
    if (Math.abs(day) > MAX_SHIFT_DAYS) return at;
  }
  let free = day;
  for (let walked = 1, left = Math.abs(count); left > 0 && walked <= MAX_COUNTED_DAYS; walked++) {
    const there = day + walked * Math.sign(count);
    if (!isFree(onDay(there))) continue;
    free = there;
    left--;
  }
  return onDay(free);
}

const DAY_SECONDS = DAY / 1000;

/** Seconds of the zone's wall clock, as if it were UTC. */
function localOf(at: Date, zone: Zone): number {
  const instant = Math.floor(at.getTime() / 1000);
  return instant + zone.segmentAt(instant).offset;
}

function isOnWeekend(at: Date, zone: Zone): boolean {
  return weekday(Math.floor(localOf(at, zone) / DAY_SECONDS)) % 6 === 0;
}

/** The first instant that shows a local time; where there is none, the end of the gap. */
function instantOf(local: number, zone: Zone): number {
  const only = { next: (from: number) => (from <= local ? local : Number.POSITIVE_INFINITY) };
  return nextZoned({ local: only, zone, gap: 'next-valid', overlap: 'first' }, local - 2 * DAY_SECONDS);
}

/** Throws `calendar_shift` for schedules whose occurrences cannot be moved. `now` is where their future begins. */
export function checkShift(schedule: Schedule, now: Date): void {
  if (schedule.kind === 'fixed-delay' || schedule.kind === 'manual')
    throw cannotShift(`a schedule of kind ${schedule.kind} has no days to move`);
  let fire = nextFire(schedule, now);
  const fires: Date[] = [];
  // Equivalent mutant (border): how far it looks ahead is a sample of no promised size.
  for (let count = 0; fire && count < 4 * MAX_FIRES_A_DAY; count++, fire = nextFire(schedule, fire)) fires.push(fire);
  const dense = fires.some((at, index) => {
    const later = fires[index + MAX_FIRES_A_DAY];
    return later !== undefined && later.getTime() - at.getTime() < DAY;
  });
  if (dense) throw cannotShift(`it is due more than ${MAX_FIRES_A_DAY} times a day`);
}

function cannotShift(why: string): ScheduleError {
  return new ScheduleError('calendar_shift', `the schedule cannot be shifted: ${why}`, {
    part: 'calendars.shift',
    allowed: `a schedule that is due at most ${MAX_FIRES_A_DAY} times a day; without shift, excluded occurrences are skipped`,
  });
}
