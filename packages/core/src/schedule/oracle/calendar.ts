import type { CalendarEntry, CalendarSpec } from '../calendar/spec.ts';
import type { ZoneRules } from '../zone-rules.ts';
import { meaningOf, offsetAt, type Wall } from './wall.ts';

const DAY = 86_400_000;
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;
/** As documented: an occurrence moves by 31 days at most. */
const MOST_DAYS = 31;
/** As documented: working days are counted for so many days. */
const MOST_COUNTED = 62;
/** For changes of the clock. */
const SPARE = 2;

/** What of a calendar's use the oracle needs. */
export interface CalendarsInForce {
  exclude: readonly CalendarSpec[];
  shift?: 'next' | 'previous' | undefined;
  workingDayOffset?: number | undefined;
  /** What was written down of time zones. Default: what this process knows of them. */
  zones?: ReadonlyMap<string, ZoneRules> | undefined;
}

function wallOf({ zones }: Pick<CalendarsInForce, 'zones'>, timeZone: string): Wall {
  return zones?.get(timeZone) ?? timeZone;
}

/** Whether an instant is in one of the calendars. The oracle's own reading of them: nothing in common with the one it checks. */
export function isExcluded(use: Pick<CalendarsInForce, 'exclude' | 'zones'>, at: number): boolean {
  return use.exclude.some(({ timeZone, entries }) => {
    const local = new Date(at + offsetAt(wallOf(use, timeZone), at));
    return entries.some((entry) => holds(entry, local));
  });
}

/** `local`: a wall clock's reading, as if the zone were UTC. */
function holds({ dates, weekdays, from, to, hours }: CalendarEntry, local: Date): boolean {
  const date = local.toISOString().slice(0, 10);
  if (dates && !dates.some((each) => date.endsWith(each))) return false;
  if (weekdays && !weekdays.some((each) => WEEKDAYS.indexOf(each) === local.getUTCDay())) return false;
  if (from && to && !isBetween(from, to, date.slice(-from.length))) return false;
  if (!hours) return true;
  const second = Math.floor((local.getTime() - Date.parse(`${date}T00:00:00Z`)) / 1000);
  return hours.some((span) => {
    const [start = 0, end = 0] = span.split('-').map(secondsOf);
    return start < end ? start <= second && second < end : start <= second || second < end;
  });
}

function isBetween(from: string, to: string, day: string): boolean {
  return from <= to ? from <= day && day <= to : day >= from || day <= to;
}

function secondsOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 3600 + minute * 60;
}

/** Where the fires that may have to do with (from, to] lie. */
export function reachOf(use: CalendarsInForce, { from, to }: { from: Date; to: Date }): { from: Date; to: Date } {
  const { shift, workingDayOffset: offset = 0 } = use;
  const daysOn = SPARE + (shift === 'next' ? MOST_DAYS : 0) + (offset > 0 ? MOST_COUNTED : 0);
  const daysBack = SPARE + (shift === 'previous' ? MOST_DAYS : 0) + (offset < 0 ? MOST_COUNTED : 0);
  return { from: new Date(from.getTime() - daysOn * DAY), to: new Date(to.getTime() + daysBack * DAY) };
}

/**
 * The instant that a fire is moved to: day by day, at the same time on the zone's clock, to the first that is free, and from there over as
 * many free days as are asked for.
 */
export function movedTo(at: number, use: CalendarsInForce, timeZone: string): number {
  const { shift, workingDayOffset: offset = 0 } = use;
  const wall = wallOf(use, timeZone);
  const local = at + offsetAt(wall, at);
  const instantOf = (day: number) => (day === 0 ? at : onClock(local + day * DAY, wall));
  // The free one of these days with so many free ones before it; the last, where there are fewer.
  const pick = (days: { from: number; step: number; most: number }, before: number): number | undefined => {
    let found: number | undefined;
    for (let index = 0, passed = 0; index < days.most && passed <= before; index++) {
      const day = days.from + days.step * index;
      if (!isFree(use, instantOf(day), wall)) continue;
      found = day;
      passed++;
    }
    return found;
  };
  const start = pick({ from: 0, step: shift === 'next' ? 1 : -1, most: MOST_DAYS + 1 }, 0);
  if (start === undefined) return at;
  if (offset === 0) return instantOf(start);
  const step = Math.sign(offset);
  return instantOf(pick({ from: start + step, step, most: MOST_COUNTED }, Math.abs(offset) - 1) ?? start);
}

/** With working days a weekend is not free either. */
function isFree(use: CalendarsInForce, at: number, timeZone: Wall): boolean {
  if (isExcluded(use, at)) return false;
  return use.workingDayOffset === undefined || new Date(at + offsetAt(timeZone, at)).getUTCDay() % 6 !== 0;
}

function onClock(local: number, timeZone: Wall): number {
  const meaning = meaningOf(timeZone, local);
  return ('instants' in meaning ? meaning.instants[0] : meaning.gapEnd) ?? local;
}
