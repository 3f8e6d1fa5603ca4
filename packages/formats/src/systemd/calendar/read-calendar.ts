import { cannotSay } from '../../translated/translated.ts';
import { type CalendarField, DAY_FROM_END, FIELDS, type Part, readParts } from './read-parts.ts';

/** An expression of `OnCalendar=`, as systemd.time(7) reads it. Null: every value. */
export interface CalendarReading {
  /** 0 to 6, from Monday. */
  weekdays: readonly Part[] | null;
  year: readonly Part[] | null;
  month: readonly Part[] | null;
  day: readonly Part[] | null;
  /** Days count from the end of the month: 1 is the last. */
  fromEnd: boolean;
  hour: readonly Part[] | null;
  minute: readonly Part[] | null;
  second: readonly Part[] | null;
  /** Undefined: that of the machine. */
  timeZone: string | undefined;
}

const MACROS: { readonly [name: string]: string } = {
  minutely: '*-*-* *:*:00',
  hourly: '*-*-* *:00:00',
  daily: '*-*-* 00:00:00',
  weekly: 'Mon *-*-* 00:00:00',
  monthly: '*-*-01 00:00:00',
  quarterly: '*-01,04,07,10-01 00:00:00',
  semiannually: '*-01,07-01 00:00:00',
  'semi-annually': '*-01,07-01 00:00:00',
  biannually: '*-01,07-01 00:00:00',
  'bi-annually': '*-01,07-01 00:00:00',
  yearly: '*-01-01 00:00:00',
  annually: '*-01-01 00:00:00',
  anually: '*-01-01 00:00:00',
};

/** What may be the name of a zone, at the end. Whether there is such a zone is judged with the schedule. */
const ZONE = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

/** Reads an expression, or throws `cannot_say` with the part that is wrong. */
export function readCalendar(text: string): CalendarReading {
  const words = text.trim().split(/\s+/);
  const last = words.at(-1) ?? '';
  const timeZone = words.length > 1 && ZONE.test(last) ? last : undefined;
  const rest = timeZone === undefined ? words : words.slice(0, -1);
  const [only = ''] = rest;
  const macro = rest.length === 1 ? MACROS[only.toLowerCase()] : undefined;
  if (/^@\d/.test(only)) throw wrong(text, only, 'an instant is a schedule of kind "once": make that task by hand');
  return { ...readFields(macro?.split(' ') ?? rest, text), timeZone };
}

type Fields = Omit<CalendarReading, 'timeZone'>;

function readFields(given: readonly string[], text: string): Fields {
  const words = [...given];
  const weekdays = /^[A-Za-z]/.test(words[0] ?? '') ? readWeekdays(words.shift() ?? '', text) : null;
  const date = words[0] !== undefined && !words[0].includes(':') ? words.shift() : undefined;
  const time = words.shift();
  const [left] = words;
  if (left !== undefined)
    throw wrong(text, left, 'a time zone at the end is UTC or an IANA name such as Europe/Berlin');
  if (weekdays === null && date === undefined && time === undefined) throw wrong(text, text, 'it is empty');
  return { weekdays, ...readDate(date, text), ...readTime(time, text) };
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

function readWeekdays(word: string, text: string): Part[] {
  const members = word.replace(/,$/, '').split(',');
  return members.map((member) => {
    const [, first = '', last] = /^([A-Za-z]+)(?:(?:\.\.|-)([A-Za-z]+))?$/.exec(member) ?? [];
    const [from, to] = [weekdayOf(first), weekdayOf(last ?? first)];
    if (from < 0 || to < 0) throw wrong(text, member, 'weekdays are Mon to Sun, or their whole names');
    if (to < from) throw wrong(text, member, 'the range runs backwards, which systemd refuses too');
    return { from, to, step: 1 };
  });
}

function weekdayOf(word: string): number {
  const name = word.toLowerCase();
  return WEEKDAYS.findIndex((weekday) => name === weekday || name === weekday.slice(0, 3));
}

function readDate(word: string | undefined, text: string): Pick<Fields, 'year' | 'month' | 'day' | 'fromEnd'> {
  if (word === undefined) return { year: null, month: null, day: null, fromEnd: false };
  const [, yearText = '*', monthText, sign, dayText] = /^(?:([^-~]+)-)?([^-~]+)([-~])([^-~]+)$/.exec(word) ?? [];
  if (monthText === undefined || dayText === undefined)
    throw wrong(
      text,
      word,
      'a date is year-month-day, or month-day; a ~ before the day counts from the end of the month',
    );
  const fromEnd = sign === '~' && dayText !== '*';
  const field = (name: keyof typeof FIELDS, part: string) => partsOf(FIELDS[name], part, text);
  return {
    year: field('year', yearText),
    month: field('month', monthText),
    day: partsOf(fromEnd ? DAY_FROM_END : FIELDS.day, dayText, text),
    fromEnd,
  };
}

const MIDNIGHT = [{ from: 0, to: 0, step: 1 }];

function readTime(word: string | undefined, text: string): Pick<Fields, 'hour' | 'minute' | 'second'> {
  if (word === undefined) return { hour: MIDNIGHT, minute: MIDNIGHT, second: MIDNIGHT };
  const [hour = '', minute, second = '0', more] = word.split(':');
  if (minute === undefined || more !== undefined)
    throw wrong(text, word, 'a time is hour:minute or hour:minute:second');
  return {
    hour: partsOf(FIELDS.hour, hour, text),
    minute: partsOf(FIELDS.minute, minute, text),
    second: partsOf(FIELDS.second, second, text),
  };
}

function partsOf(field: CalendarField, part: string, text: string): readonly Part[] | null {
  return readParts(field, part, (why) => wrong(text, part, why));
}

function wrong(text: string, part: string, why: string): Error {
  return cannotSay(`OnCalendar=${text} cannot be read at "${part}"`, why);
}
