import { nearestKeyIn } from '../../nearest-key.ts';
import { refusals } from '../../refusal.ts';
import { civilDate, daysInMonth, weekday } from '../civil.ts';
import { ScheduleError } from '../error.ts';
import { Shared } from '../shared.ts';
import { type Zone, zoneOf } from '../zone.ts';
import { type CalendarEntry, type CalendarSpec, calendarSpec, WEEKDAY_NAMES } from './spec.ts';

/** What the reason of a row begins with that a calendar leaves out. */
export const EXCLUDED = 'excluded by calendar ';

const DAY_SECONDS = 86_400;

/** A calendar that is ready to be asked. Equal ones share one object. */
export interface Calendar {
  readonly name: string;
  readonly zone: Zone;
  /** Why an instant is in it, in words; null: it is not. */
  reasonAt(at: Date): string | null;
  /** What of a day of its zone is in it, an entry each. */
  partsOf(day: CivilDay): DayPart[];
}

/** A day on the calendar's wall. */
export interface CivilDay {
  /** `2026-12-25` */
  date: string;
  /** 0 is Sunday. */
  weekday: number;
}

/** Of a day what an entry has. */
export interface DayPart {
  /** The entry: its name, or what it says. */
  words: string;
  /** Times of day, in seconds since midnight; beyond midnight where `to` is not after `from`. Null: the whole day. */
  spans: readonly Span[] | null;
}

const calendars = new Shared<Calendar>();

/** Checks a calendar and makes it ready. Throws `ScheduleError`: what is wrong, and what is allowed. */
export function parseCalendar(name: string, spec: CalendarSpec): Calendar {
  return calendars.get(`${name}\n${JSON.stringify(spec)}`, () => ready(name, admit(name, spec)));
}

function admit(name: string, spec: CalendarSpec): CalendarSpec {
  const read = calendarSpec.safeParse(spec);
  if (read.success) return admitValues(name, read.data);
  const [issue] = read.error.issues;
  const refused = refusals(read.error.issues, spec, {
    root: 'the calendar',
    nearestKey: (at, key) => nearestKeyIn(calendarSpec, at, key),
  });
  const zone = typeof spec?.timeZone === 'string' ? thrownBy([() => zoneOf(spec.timeZone)]) : [];
  throw invalid(name, [...refused, ...zone.map(inOneLine)], issue?.path.join('.') || name);
}

function invalid(name: string, problems: readonly string[], part: string): ScheduleError {
  return new ScheduleError('calendar_invalid', `calendar ${name} is not valid: ${problems.join('; ')}`, {
    part,
    allowed: 'see docs/reference/schedules.md for what a calendar may say',
  });
}

/** What fits the schema and means nothing: all of it is said at once. */
function admitValues(name: string, spec: CalendarSpec): CalendarSpec {
  const [first, ...more] = thrownBy([
    () => zoneOf(spec.timeZone),
    ...spec.entries.flatMap((entry) => checksOf(entry, name)),
  ]);
  if (!first) return spec;
  throw more.length === 0 ? first : invalid(name, [first, ...more].map(inOneLine), name);
}

function checksOf({ dates = [], from, to, hours = [] }: CalendarEntry, name: string): (() => unknown)[] {
  const days = [...dates, ...(from && to ? [from, to] : [])];
  return [
    ...days.map((day) => () => checkDate(day, name)),
    ...(from && to ? [() => inRange(from, to, name)] : []),
    ...hours.map((each) => () => readHours(each, name)),
  ];
}

function thrownBy(checks: readonly (() => unknown)[]): ScheduleError[] {
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (error instanceof ScheduleError) return [error];
      throw error;
    }
  });
}

const inOneLine = ({ message, fix }: ScheduleError) => (fix === undefined ? message : `${message} (${fix})`);

/** A time of day on a day, as an entry is asked about. */
interface Moment extends CivilDay {
  /** Since midnight. */
  seconds: number;
}

type Holds = (day: CivilDay) => boolean;

function ready(name: string, { timeZone, entries }: CalendarSpec): Calendar {
  const zone = zoneOf(timeZone);
  const tests = entries.map((entry) => ({
    holds: allOf(conditions(entry, name)),
    spans: entry.hours?.map((each) => readHours(each, name)) ?? null,
    words: entry.name ?? inWords(entry),
  }));
  return {
    name,
    zone,
    reasonAt(at) {
      const moment = momentOf(Math.floor(at.getTime() / 1000), zone);
      const found = tests.find(({ holds, spans }) => holds(moment) && (spans === null || isWithin(spans, moment)));
      return found ? `${EXCLUDED}${name}: ${found.words}` : null;
    },
    partsOf: (day) => tests.filter(({ holds }) => holds(day)).map(({ words, spans }) => ({ words, spans })),
  };
}

function momentOf(instant: number, zone: Zone): Moment {
  const local = instant + zone.segmentAt(instant).offset;
  const days = Math.floor(local / DAY_SECONDS);
  return { ...civilDay(days), seconds: local - days * DAY_SECONDS };
}

/** By days since 1970-01-01. */
export function civilDay(days: number): CivilDay {
  const { year, month, day } = civilDate(days);
  return { date: `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`, weekday: weekday(days) };
}

const pad = (value: number, width: number) => String(value).padStart(width, '0');

function allOf(conditions: readonly Holds[]): Holds {
  return (day) => conditions.every((holds) => holds(day));
}

/** What an entry says of days. */
function conditions({ dates, weekdays, from, to }: CalendarEntry, calendar: string): Holds[] {
  return [
    ...(dates ? [onDates(dates)] : []),
    ...(weekdays ? [onWeekdays(weekdays)] : []),
    ...(from && to ? [inRange(from, to, calendar)] : []),
  ];
}

function onDates(dates: readonly string[]): Holds {
  const wanted = new Set(dates);
  return ({ date }) => wanted.has(date) || wanted.has(date.slice(5));
}

function onWeekdays(names: readonly (typeof WEEKDAY_NAMES)[number][]): Holds {
  const wanted = new Set(names.map((name) => WEEKDAY_NAMES.indexOf(name)));
  return (day) => wanted.has(day.weekday);
}

function inRange(from: string, to: string, calendar: string): Holds {
  if (from.length !== to.length) throw bad(calendar, `${from} to ${to}`, 'both ends with a year, or both without');
  if (from.length === 10 && to < from)
    throw bad(calendar, `${from} to ${to}`, 'a range from an earlier to a later day');
  const day = from.length === 10 ? (date: string) => date : (date: string) => date.slice(5);
  // Without years a range may go beyond New Year.
  return from <= to
    ? ({ date }) => day(date) >= from && day(date) <= to
    : ({ date }) => day(date) >= from || day(date) <= to;
}

interface Span {
  from: number;
  to: number;
}

function isWithin(spans: readonly Span[], { seconds }: Moment): boolean {
  return spans.some(({ from, to }) => (from < to ? seconds >= from && seconds < to : seconds >= from || seconds < to));
}

function readHours(text: string, calendar: string): Span {
  const [from, to] = text.split('-').map((part) => {
    const [hour = 0, minute = 0] = part.split(':').map(Number);
    return (hour * 60 + minute) * 60;
  });
  const valid = from !== undefined && to !== undefined && from < DAY_SECONDS && to <= DAY_SECONDS && from !== to;
  if (!valid) throw bad(calendar, text, 'hours such as 22-6 or 09:30-17, from 0 up to 24');
  return { from, to };
}

function checkDate(text: string, calendar: string): void {
  const [day = 0, month = 0, year = 2024] = text.split('-').map(Number).reverse();
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month))
    throw bad(calendar, text, 'a date that exists, such as 2026-12-25, or 12-25 for every year');
}

function bad(calendar: string, part: string, allowed: string): ScheduleError {
  return new ScheduleError('calendar_invalid', `calendar ${calendar} cannot have "${part}"`, { part, allowed });
}

function inWords({ dates, weekdays, from, to, hours }: CalendarEntry): string {
  return [
    ...(dates ? [dates.length > 3 ? `${dates.slice(0, 3).join(', ')}, ...` : dates.join(', ')] : []),
    ...(from ? [`${from} to ${to}`] : []),
    ...(weekdays ? [weekdays.join(', ')] : []),
    ...(hours ? [`hours ${hours.join(', ')}`] : []),
  ].join('; ');
}
