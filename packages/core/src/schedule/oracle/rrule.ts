import type { RruleSpec } from '../spec.ts';

const DAY = 86_400_000;
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const UNIT: { readonly [freq: string]: number } = { DAILY: DAY, HOURLY: 3_600_000, MINUTELY: 60_000, SECONDLY: 1000 };

interface Reading {
  freq: string;
  interval: number;
  start: number;
  weekStart: number;
  numbers: (part: string) => readonly number[];
  byDay: readonly { weekday: number; nth: number }[];
  times: readonly number[];
}

/**
 * The local times (epoch ms, as if the zone were UTC) of a rule up to `high`, those before `low` only
 * where they have to be counted: day by day from the start, asking of each time whether it is one.
 */
export function* recurrences(spec: RruleSpec, low: number, high: number): Iterable<number> {
  const said = new Map(
    spec.rule
      .toUpperCase()
      .replace('RRULE:', '')
      .split(';')
      .map((part) => part.split('=') as [string, string]),
  );
  const reading = read(said, Date.parse(`${spec.dtStart}Z`));
  const count = Number(said.get('COUNT') ?? Number.POSITIVE_INFINITY);
  const until = localUntil(said.get('UNTIL'));
  const positions = reading.numbers('BYSETPOS');
  const firstDay = Math.floor((Number.isFinite(count) ? reading.start : Math.max(low, reading.start)) / DAY);
  let found = 0;
  let period: Siblings | undefined;
  for (let day = firstDay; day * DAY <= Math.min(high, until) && found < count; day++) {
    for (const at of candidates(reading, day)) {
      if (at < reading.start || at > until || found >= count) continue;
      if (positions.length > 0) {
        if (period?.number !== periodOf(reading, at)) period = siblings(reading, at);
        if (!isChosen(period.times.indexOf(at), period.times.length, positions)) continue;
      }
      found++;
      yield at;
    }
  }
}

/** UNTIL as a local time; one in UTC is an instant, and looked at elsewhere. */
function localUntil(text: string | undefined): number {
  if (text === undefined || text.endsWith('Z')) return Number.POSITIVE_INFINITY;
  const [, date = '', time = '235959'] = /^(\d{8})T?(\d{6})?$/.exec(text) ?? [];
  return Date.parse(`${date.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`);
}

function read(said: Map<string, string>, start: number): Reading {
  const freq = said.get('FREQ') ?? '';
  const lists = new Map([...said].map(([part, value]) => [part, value.split(',').map(Number)] as const));
  const numbers = (part: string): readonly number[] => lists.get(part) ?? [];
  const date = new Date(start);
  const [hour, minute, second] = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
  const below = (units: string[]): boolean => !units.includes(freq);
  const unit = (part: string, own: number, all: number): readonly number[] =>
    said.has(part) ? numbers(part) : all > 0 ? Array.from({ length: all }, (_, value) => value) : [own];
  const hours = unit('BYHOUR', hour, below(['HOURLY', 'MINUTELY', 'SECONDLY']) ? 0 : 24);
  const minutes = unit('BYMINUTE', minute, below(['MINUTELY', 'SECONDLY']) ? 0 : 60);
  const seconds = unit('BYSECOND', second, below(['SECONDLY']) ? 0 : 60);
  const times = hours.flatMap((h) => minutes.flatMap((m) => seconds.map((s) => ((h * 60 + m) * 60 + s) * 1000)));
  return {
    freq,
    start,
    numbers,
    interval: Number(said.get('INTERVAL') ?? 1),
    weekStart: WEEKDAYS.indexOf(said.get('WKST') ?? 'MO'),
    byDay: (said.get('BYDAY')?.split(',') ?? []).map((word) => ({
      weekday: WEEKDAYS.indexOf(word.slice(-2)),
      nth: Number(word.slice(0, -2)),
    })),
    times: [...new Set(times)].sort((a, b) => a - b),
  };
}

/** All times of a day that the rule holds for, BYSETPOS, COUNT and UNTIL apart. */
function candidates(reading: Reading, day: number): number[] {
  if (!dateHolds(reading, new Date(day * DAY))) return [];
  return reading.times
    .map((time) => day * DAY + time)
    .filter((at) => (periodOf(reading, at) - periodOf(reading, reading.start)) % reading.interval === 0);
}

function periodOf({ freq, weekStart }: Reading, at: number): number {
  const date = new Date(at);
  if (freq === 'YEARLY') return date.getUTCFullYear();
  if (freq === 'MONTHLY') return date.getUTCFullYear() * 12 + date.getUTCMonth();
  // 1970-01-04 was a Sunday.
  if (freq === 'WEEKLY') return Math.floor((at / DAY - 3 - weekStart) / 7);
  return Math.floor(at / (UNIT[freq] ?? 1));
}

function dateHolds(reading: Reading, date: Date): boolean {
  const { freq, numbers, byDay, start } = reading;
  const own = new Date(start);
  const open =
    byDay.length === 0 && ['BYMONTHDAY', 'BYYEARDAY', 'BYWEEKNO'].every((part) => numbers(part).length === 0);
  const among = (part: string, value: number, total: number): boolean =>
    numbers(part).length === 0 || numbers(part).some((number) => number === value || number === value - total - 1);
  if (!among('BYMONTH', date.getUTCMonth() + 1, 999)) return false;
  if (open && freq === 'YEARLY' && numbers('BYMONTH').length === 0 && date.getUTCMonth() !== own.getUTCMonth())
    return false;
  if (open && (freq === 'YEARLY' || freq === 'MONTHLY') && date.getUTCDate() !== own.getUTCDate()) return false;
  if (open && freq === 'WEEKLY' && date.getUTCDay() !== own.getUTCDay()) return false;
  if (!among('BYMONTHDAY', date.getUTCDate(), lastDayOfMonth(date))) return false;
  if (byDay.length > 0 && !byDay.some((choice) => weekdayHolds(reading, choice, date))) return false;
  return yearPartsHold(reading, date, among);
}

function yearPartsHold(
  { numbers, weekStart }: Reading,
  date: Date,
  among: (part: string, value: number, total: number) => boolean,
): boolean {
  if (numbers('BYYEARDAY').length === 0 && numbers('BYWEEKNO').length === 0) return true;
  const { dayOfYear, daysOfYear } = yearDay(date);
  const { week, weeks } = weekOf(date, weekStart);
  return among('BYYEARDAY', dayOfYear, daysOfYear) && among('BYWEEKNO', week, weeks);
}

function weekdayHolds(
  { freq, numbers }: Reading,
  { weekday, nth }: { weekday: number; nth: number },
  date: Date,
): boolean {
  if (date.getUTCDay() !== weekday) return false;
  if (nth === 0) return true;
  const inMonth = freq === 'MONTHLY' || numbers('BYMONTH').length > 0;
  const { dayOfYear, daysOfYear } = yearDay(date);
  const [position, total] = inMonth ? [date.getUTCDate(), lastDayOfMonth(date)] : [dayOfYear, daysOfYear];
  return nth > 0 ? Math.ceil(position / 7) === nth : Math.ceil((total - position + 1) / 7) === -nth;
}

function lastDayOfMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

function yearDay(date: Date): { dayOfYear: number; daysOfYear: number } {
  const first = Date.UTC(date.getUTCFullYear(), 0, 1);
  const next = Date.UTC(date.getUTCFullYear() + 1, 0, 1);
  return { dayOfYear: Math.floor((date.getTime() - first) / DAY) + 1, daysOfYear: (next - first) / DAY };
}

/** ISO 8601 with any first day: the week's fourth day says which year it is of, 28 December lies in the last one. */
function weekOf(date: Date, weekStart: number): { week: number; weeks: number } {
  const fourth = (day: Date): Date => new Date(day.getTime() + (3 - ((day.getUTCDay() - weekStart + 7) % 7)) * DAY);
  const numberOf = (day: Date): number => Math.ceil(yearDay(fourth(day)).dayOfYear / 7);
  const late = new Date(Date.UTC(fourth(date).getUTCFullYear(), 11, 28));
  return { week: numberOf(date), weeks: numberOf(late) };
}

function isChosen(place: number, total: number, positions: readonly number[]): boolean {
  return positions.some((position) => place === (position > 0 ? position - 1 : total + position));
}

/** All times of a period, for BYSETPOS to count. */
interface Siblings {
  number: number;
  times: readonly number[];
}

const REACH: { readonly [freq: string]: number } = { YEARLY: 366, MONTHLY: 31, WEEKLY: 7 };

function siblings(reading: Reading, at: number): Siblings {
  const number = periodOf(reading, at);
  const reach = REACH[reading.freq] ?? 0;
  const day = Math.floor(at / DAY);
  const days = Array.from({ length: 2 * reach + 1 }, (_, index) => day - reach + index);
  const times = days.flatMap((other) =>
    candidates(reading, other).filter((time) => periodOf(reading, time) === number),
  );
  return { number, times };
}
