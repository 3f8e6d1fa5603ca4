import { dateIn, hourIn, minuteIn, weekdayOf } from '../../time/dates.ts';

export interface Tick {
  /** Which piece it begins. */
  index: number;
  label: string;
}

/** Some days of the axis: from a piece on, and before another. */
export interface Days {
  date: string;
  from: number;
  to: number;
}

interface Piece {
  from: string;
}

/** Hours from one tick to the next. */
const HOURS = [1, 2, 3, 4, 6, 12];
const DAYS = [1, 2, 3, 5, 7, 14];
const MOST_TICKS = 8;
const DAY_HOURS = 24;

/** Where an axis is marked: at whole hours of the zone, or where days begin there. The first one, and each day, has its date. */
export function ticksOf(pieces: readonly Piece[], zone: string): Tick[] {
  // The first piece begins now, wherever that is.
  const borders = pieces.flatMap(({ from }, index) => (index > 0 && isWholeHour(from, zone) ? [{ from, index }] : []));
  const hours = borders.map(({ from, index }) => ({ ...at(from, zone), index }));
  for (const each of HOURS) {
    const found = hours.filter(({ hour }) => hour % each === 0);
    if (found.length <= MOST_TICKS) return found.map(toTick);
  }
  const days = hours.filter(({ hour }) => hour === 0);
  const every = DAYS.find((each) => days.length / each <= MOST_TICKS) ?? Math.ceil(days.length / MOST_TICKS);
  return days.filter((_, index) => index % every === 0).map(toTick);
}

interface Border {
  index: number;
  date: string;
  hour: number;
}

function toTick({ index, date, hour }: Border, place: number): Tick {
  const time = `${String(hour % DAY_HOURS).padStart(2, '0')}:00`;
  if (hour === 0) return { index, label: dayWords(date) };
  return { index, label: place === 0 ? `${dayWords(date)} ${time}` : time };
}

function at(from: string, zone: string): Omit<Border, 'index'> {
  const ms = Date.parse(from);
  return { date: dateIn(zone, ms), hour: hourIn(zone, ms) };
}

function isWholeHour(from: string, zone: string): boolean {
  return minuteIn(zone, Date.parse(from)) === 0;
}

/** The days in which a clock changes, as pieces of the axis. */
export function clockDaysOf(pieces: readonly Piece[], changes: readonly { at: string }[], zone: string): Days[] {
  const dates = pieces.map(({ from }) => dateIn(zone, Date.parse(from)));
  const changed = new Set(changes.map((change) => dateIn(zone, Date.parse(change.at))));
  return [...changed].flatMap((date) => {
    const from = dates.indexOf(date);
    return from < 0 ? [] : [{ date, from, to: dates.lastIndexOf(date) + 1 }];
  });
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Sun 29 Mar` */
export function dayWords(date: string): string {
  return `${WEEKDAYS[weekdayOf(date)]} ${Number(date.slice(8))} ${MONTHS[Number(date.slice(5, 7)) - 1]}`;
}
