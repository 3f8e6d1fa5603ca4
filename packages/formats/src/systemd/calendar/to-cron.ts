import { isDeepStrictEqual } from 'node:util';
import type { CronSpec } from '@escapement/core/schedule';
import { cannotSay } from '../../translated/translated.ts';
import { type CalendarReading, readCalendar } from './read-calendar.ts';
import { FIELDS, type Part, valuesOf } from './read-parts.ts';

/** Years of a cron expression. */
const LAST_YEAR = 2099;

/** Longest expression that a schedule may have. */
const MAX_CHARACTERS = 1024;

const LISTS = ['weekdays', 'year', 'month', 'day', 'hour', 'minute', 'second'] as const;

/**
 * The schedules of the lines of `OnCalendar=`, which a timer has together: lines that differ in one field only
 * become one. `zone`: of lines without one. Throws `cannot_say`.
 */
export function cronOf(texts: readonly string[], zone: string): CronSpec[] {
  const readings = texts.map((text) => ({ text, reading: withZone(readCalendar(text), zone) }));
  return merged(readings).map(({ text, reading }) => specOf(reading, text));
}

interface Line {
  text: string;
  reading: CalendarReading;
}

function withZone(reading: CalendarReading, zone: string): CalendarReading {
  return { ...reading, timeZone: reading.timeZone ?? zone };
}

/** Joins lines as long as two of them can be one. */
function merged(lines: readonly Line[]): Line[] {
  for (const [index, one] of lines.entries())
    for (const other of lines.slice(index + 1)) {
      const reading = union(one.reading, other.reading);
      if (!reading) continue;
      const rest = lines.filter((line) => line !== one && line !== other);
      return merged([{ text: `${one.text}, ${other.text}`, reading }, ...rest]);
    }
  return [...lines];
}

/** Undefined: no one expression says what both say. */
function union(one: CalendarReading, other: CalendarReading): CalendarReading | undefined {
  if (one.timeZone !== other.timeZone || one.fromEnd !== other.fromEnd) return undefined;
  const differing = LISTS.filter((name) => !isDeepStrictEqual(valuesIn(one, name), valuesIn(other, name)));
  const [field, second] = differing;
  if (second !== undefined) return undefined;
  if (field === undefined) return one;
  const [ours, theirs] = [one[field], other[field]];
  return { ...one, [field]: ours === null || theirs === null ? null : [...ours, ...theirs] };
}

function valuesIn(reading: CalendarReading, name: (typeof LISTS)[number]): number[] | null {
  const parts = reading[name];
  return parts === null ? null : valuesOf(parts);
}

function specOf(reading: CalendarReading, text: string): CronSpec {
  const { weekdays, year, month, hour, minute, second, timeZone = 'UTC' } = reading;
  const fields = [
    fieldText(second, FIELDS.second),
    fieldText(minute, FIELDS.minute),
    fieldText(hour, FIELDS.hour),
    dayText(reading),
    fieldText(month, FIELDS.month),
    weekdays === null ? '*' : weekdayText(weekdays),
    yearText(year, text),
  ];
  const expression = shortened(fields).join(' ');
  if (expression.length > MAX_CHARACTERS)
    throw cannotSay(`OnCalendar=${text} has more values than a schedule takes`, 'split it into several timers');
  const bothDays = fields[3] !== '*' && fields[5] !== '*';
  return { kind: 'cron', expression, timeZone, ...(bothDays ? { dayMatch: 'and' } : {}) };
}

/** Without year and second, where these say nothing. */
function shortened(fields: readonly string[]): readonly string[] {
  const plain = fields.at(-1) === '*' ? fields.slice(0, -1) : fields;
  return plain.length === 6 && plain[0] === '0' ? plain.slice(1) : plain;
}

function fieldText(parts: readonly Part[] | null, { min, max }: { min: number; max: number }): string {
  return parts === null ? '*' : parts.map((part) => partText(part, min, max)).join(',');
}

/** With a step, the end is the last value that is met: a range whose end is not met goes no further either. */
function partText({ from, to, step }: Part, min: number, max: number): string {
  const last = from + Math.floor((to - from) / step) * step;
  if (from === last) return String(from);
  if (step === 1) return from === min && to === max ? '*' : `${from}-${to}`;
  if (last + step <= max) return `${from}-${last}/${step}`;
  return from === min ? `*/${step}` : `${from}-${max}/${step}`;
}

function dayText({ day, fromEnd }: CalendarReading): string {
  if (day === null || !fromEnd) return fieldText(day, FIELDS.day);
  return valuesOf(day)
    .map((value) => (value === 1 ? 'L' : `L-${value - 1}`))
    .join(',');
}

const NAMES = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

function weekdayText(parts: readonly Part[]): string {
  const values = valuesOf(parts);
  if (values.length === NAMES.length) return '*';
  return parts.map(({ from, to }) => (from === to ? NAMES[from] : `${NAMES[from]}-${NAMES[to]}`)).join(',');
}

function yearText(year: readonly Part[] | null, text: string): string {
  if (year === null) return '*';
  const known = year
    .filter(({ from }) => from <= LAST_YEAR)
    .map((part) => ({ ...part, to: Math.min(part.to, LAST_YEAR) }));
  if (known.length > 0) return known.map((part) => partText(part, FIELDS.year.min, LAST_YEAR)).join(',');
  throw cannotSay(`OnCalendar=${text} is after the year ${LAST_YEAR}`, 'schedules end there');
}
