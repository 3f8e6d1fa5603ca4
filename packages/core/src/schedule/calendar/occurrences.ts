import { DAY } from '../../clock.ts';
import { ScheduleError } from '../error.ts';
import { nextFire } from '../next-fire.ts';
import type { Schedule } from '../schedule.ts';
import { type Zone, zoneOf } from '../zone.ts';
import { nextZoned } from '../zoned.ts';
import type { Calendar } from './calendar.ts';
import type { CalendarUse } from './spec.ts';

/** An occurrence is moved by this many days at most; one that finds no day by then stays and is excluded. */
const MAX_SHIFT_DAYS = 31;
/** Beyond it no occurrence can have been moved from or to: a day more than the farthest, for changes of the clock. */
export const MAX_SHIFT_MS = (MAX_SHIFT_DAYS + 2) * DAY;
/** A denser schedule has nothing to move: its next occurrence comes on the same day anyway. */
const MAX_FIRES_A_DAY = 24;

/** When a task is due, with its calendars. */
export interface Occurrences {
  /** The first one strictly after; null: never again. Of a fixed delay: none, it counts from the end of a run. */
  next(after: Date): Date | null;
  /** Why an occurrence does not run; null: it does. */
  excluded(at: Date): string | null;
}

/** The occurrences of a schedule, without those that calendars exclude, or with these moved to another day. */
export function occurrencesOf(
  schedule: Schedule,
  calendars: readonly Calendar[] = [],
  shift?: CalendarUse['shift'],
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
  const moved = (at: Date) => moveOff(at, { zone, excluded, step: shift === 'next' ? 1 : -1 });
  return {
    next: (after) => (shift === 'next' ? nextMovedOn(schedule, moved, after) : nextMovedBack(schedule, moved, after)),
    excluded,
  };
}

type Moved = (at: Date) => Date;

/** Occurrences come no earlier than their fire, and up to the reach later. */
function nextMovedOn(schedule: Schedule, moved: Moved, after: Date): Date | null {
  let best: Date | null = null;
  let fire = nextFire(schedule, new Date(after.getTime() - MAX_SHIFT_MS));
  for (; fire && (best === null || fire < best); fire = nextFire(schedule, fire))
    best = nearer(best, moved(fire), after);
  return best;
}

/** Occurrences come no later than their fire, and up to the reach earlier. */
function nextMovedBack(schedule: Schedule, moved: Moved, after: Date): Date | null {
  let best: Date | null = null;
  let fire = nextFire(schedule, after);
  for (; fire && (best === null || fire.getTime() < best.getTime() + MAX_SHIFT_MS); fire = nextFire(schedule, fire))
    best = nearer(best, moved(fire), after);
  return best;
}

function nearer(best: Date | null, at: Date, after: Date): Date | null {
  return at > after && (best === null || at < best) ? at : best;
}

function moveOff(at: Date, by: { zone: Zone; excluded: (at: Date) => string | null; step: 1 | -1 }): Date {
  if (by.excluded(at) === null) return at;
  const instant = Math.floor(at.getTime() / 1000);
  const local = instant + by.zone.segmentAt(instant).offset;
  for (let days = 1; days <= MAX_SHIFT_DAYS; days++) {
    const moved = new Date(instantOf(local + by.step * days * 86_400, by.zone) * 1000 + (at.getTime() % 1000));
    if (by.excluded(moved) === null) return moved;
  }
  return at;
}

/** The first instant that shows a local time; where there is none, the end of the gap. */
function instantOf(local: number, zone: Zone): number {
  const only = { next: (from: number) => (from <= local ? local : Number.POSITIVE_INFINITY) };
  return nextZoned({ local: only, zone, gap: 'next-valid', overlap: 'first' }, local - 2 * 86_400);
}

/** Throws `calendar_shift` for schedules whose occurrences cannot be moved. `now` is where their future begins. */
export function checkShift(schedule: Schedule, now: Date): void {
  if (schedule.kind === 'fixed-delay' || schedule.kind === 'manual')
    throw cannotShift(`a schedule of kind ${schedule.kind} has no days to move`);
  let fire = nextFire(schedule, now);
  const fires: Date[] = [];
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
