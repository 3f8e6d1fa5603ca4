import { dayNumber } from '../civil.ts';
import { type Calendar, type CivilDay, civilDay, type DayPart } from './calendar.ts';

/** A day of which a calendar has something. */
export interface CalendarDay {
  /** `2026-12-25` */
  date: string;
  /** Whether all of it is in the calendar, by the clock on the wall. */
  isWhole: boolean;
  /** The times of day that are in it, from, included, up to, not included: `18:00-24:00`. */
  hours: string[];
  /** The entries that hold on it, by name or in words. */
  entries: string[];
}

const DAY_MINUTES = 24 * 60;

/** The days of a year of which a calendar has something, in the calendar's own zone. */
export function calendarDays(calendar: Calendar, year: number): CalendarDay[] {
  const first = dayNumber(year, 1, 1);
  const days = dayNumber(year + 1, 1, 1) - first;
  return Array.from({ length: days }, (_, index) => civilDay(first + index)).flatMap((day) => {
    const parts = calendar.partsOf(day);
    return parts.length === 0 ? [] : [dayOf(day, parts)];
  });
}

function dayOf({ date }: CivilDay, parts: readonly DayPart[]): CalendarDay {
  const spans = joined(parts.flatMap(minutesOf));
  const isWhole = spans.length === 1 && spans[0]?.[0] === 0 && spans[0][1] === DAY_MINUTES;
  return {
    date,
    isWhole,
    hours: spans.map(([from, to]) => `${clock(from)}-${clock(to)}`),
    entries: [...new Set(parts.map(({ words }) => words))],
  };
}

type Minutes = readonly [from: number, to: number];

/** One that goes beyond midnight holds at both ends of the same day. */
function minutesOf({ spans }: DayPart): Minutes[] {
  if (spans === null) return [[0, DAY_MINUTES]];
  return spans.flatMap(({ from, to }): Minutes[] => {
    const [begin, end] = [from / 60, to / 60];
    if (begin < end) return [[begin, end]];
    return end === 0
      ? [[begin, DAY_MINUTES]]
      : [
          [0, end],
          [begin, DAY_MINUTES],
        ];
  });
}

/** In their order; those that touch are one. */
function joined(spans: readonly Minutes[]): Minutes[] {
  const found: Minutes[] = [];
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    const last = found.at(-1);
    if (last && from <= last[1]) found[found.length - 1] = [last[0], Math.max(last[1], to)];
    else found.push([from, to]);
  }
  return found;
}

function clock(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
