import type { CalendarEntry, CalendarSpec } from '../calendar/spec.ts';
import { meaningOf, offsetAt } from './wall.ts';

const DAY = 86_400_000;
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;
/** As documented: an occurrence moves by 31 days at most. */
const MOST_DAYS = 31;
/** No occurrence comes from farther away than that: two days more, for changes of the clock. */
const REACH = (MOST_DAYS + 2) * DAY;

/** What of a calendar's use the oracle needs. */
export interface CalendarsInForce {
  exclude: readonly CalendarSpec[];
  shift?: 'next' | 'previous' | undefined;
}

/** Whether an instant is in one of the calendars. The oracle's own reading of them: nothing in common with the one it checks. */
export function isExcluded({ exclude }: Pick<CalendarsInForce, 'exclude'>, at: number): boolean {
  return exclude.some(({ timeZone, entries }) => {
    const local = new Date(at + offsetAt(timeZone, at));
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
export function reachOf(shift: 'next' | 'previous', { from, to }: { from: Date; to: Date }): { from: Date; to: Date } {
  return shift === 'next'
    ? { from: new Date(from.getTime() - REACH), to }
    : { from, to: new Date(to.getTime() + REACH) };
}

/** The instant that a fire is moved to: day by day, at the same time on the zone's clock, to the first that is free. */
export function movedTo(at: number, use: CalendarsInForce, timeZone: string): number {
  if (!isExcluded(use, at)) return at;
  const local = at + offsetAt(timeZone, at);
  for (let days = 1; days <= MOST_DAYS; days++) {
    const meaning = meaningOf(timeZone, local + (use.shift === 'next' ? days : -days) * DAY);
    const moved = 'instants' in meaning ? meaning.instants[0] : meaning.gapEnd;
    if (moved !== undefined && !isExcluded(use, moved)) return moved;
  }
  return at;
}
