import { createRequire } from 'node:module';
import type { Options, Weekday } from 'rrule';
import { EscapementError, nearest } from '../../errors.ts';
import { ScheduleError } from '../error.ts';

// The package's build for `import` has no file extensions and loads in bundlers only; the one for `require` is whole.
const { RRule }: typeof import('rrule') = createRequire(import.meta.url)('rrule');

export const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'] as const;

export type Frequency = (typeof FREQUENCIES)[number];

/** What a rule says, part by part (RFC 5545, 3.3.10). Lists are empty where a part is missing. Weekdays count from 0 = Sunday. */
export interface RruleParts {
  freq: Frequency;
  interval: number;
  count: number | undefined;
  /** As it was written. */
  until: string | undefined;
  weekStart: number;
  bySecond: readonly number[];
  byMinute: readonly number[];
  byHour: readonly number[];
  byDay: readonly { weekday: number; nth: number | undefined }[];
  byMonthDay: readonly number[];
  byYearDay: readonly number[];
  byWeekNo: readonly number[];
  byMonth: readonly number[];
  bySetPos: readonly number[];
}

/** More occurrences than this are counted off no longer: each has to be found before the last one is known. */
const MAX_COUNT = 10_000;

interface Limits {
  min: number;
  max: number;
  /** -max to -min as well: counted from the end. */
  signed?: boolean;
}

const NUMBERS: { readonly [part: string]: Limits } = {
  INTERVAL: { min: 1, max: 100_000_000 },
  COUNT: { min: 1, max: MAX_COUNT },
  // Leap seconds (60) exist on no computer's clock.
  BYSECOND: { min: 0, max: 59 },
  BYMINUTE: { min: 0, max: 59 },
  BYHOUR: { min: 0, max: 23 },
  BYMONTHDAY: { min: 1, max: 31, signed: true },
  BYYEARDAY: { min: 1, max: 366, signed: true },
  BYWEEKNO: { min: 1, max: 53, signed: true },
  BYMONTH: { min: 1, max: 12 },
  BYSETPOS: { min: 1, max: 366, signed: true },
};

const PARTS = ['FREQ', 'UNTIL', 'WKST', 'BYDAY', ...Object.keys(NUMBERS)];
const SINGLE = ['INTERVAL', 'COUNT'];
const UNTIL = /^\d{8}(T\d{6}Z?)?$/;

/** Reads a rule, or throws `ScheduleError` naming the part, its value and what is allowed. */
export function readRrule(rule: string): RruleParts {
  const text = rule
    .trim()
    .replace(/^RRULE:/i, '')
    .toUpperCase();
  const written = splitParts(text);
  for (const [name, value] of written) checkPart(name, value);
  const parts = toParts(readOptions(text), written.get('UNTIL'));
  checkTogether(parts, text);
  return parts;
}

function splitParts(text: string): Map<string, string> {
  const written = new Map<string, string>();
  for (const part of text.split(';')) {
    const [name = '', value] = part.split('=');
    if (!PARTS.includes(name)) throw unknownPart(part, name);
    if (value === undefined || value === '') throw refused(part, `${name}=value`);
    if (written.has(name)) throw refused(part, `${name} only once`);
    written.set(name, value);
  }
  return written;
}

function checkPart(name: string, value: string): void {
  const limits = NUMBERS[name];
  if (limits) return checkNumbers(name, value, limits);
  if (name === 'FREQ' && !FREQUENCIES.some((freq) => freq === value)) {
    const hint = nearest(value, FREQUENCIES);
    throw refused(`FREQ=${value}`, `${hint ? `did you mean ${hint}? ` : ''}${FREQUENCIES.join(', ')}`);
  }
  if (name === 'UNTIL' && !UNTIL.test(value))
    throw refused(`UNTIL=${value}`, '20261231T235959Z, 20261231T235959 or 20261231');
  if (name === 'WKST' && !/^(SU|MO|TU|WE|TH|FR|SA)$/.test(value))
    throw refused(`WKST=${value}`, 'SU, MO, TU, WE, TH, FR, SA');
  if (
    name === 'BYDAY' &&
    !/^([+-]?([1-9]|[1-4]\d|5[0-3]))?(SU|MO|TU|WE|TH|FR|SA)(,([+-]?([1-9]|[1-4]\d|5[0-3]))?(SU|MO|TU|WE|TH|FR|SA))*$/.test(
      value,
    )
  )
    throw refused(`BYDAY=${value}`, 'SU, MO, TU, WE, TH, FR, SA, with 1 to 53 or -1 to -53 before it for the nth one');
}

function checkNumbers(name: string, value: string, { min, max, signed }: Limits): void {
  const numbers = value.split(',').map((word) => (/^[+-]?\d+$/.test(word) ? Number(word) : Number.NaN));
  const inside = (number: number): boolean =>
    (number >= min && number <= max) || (signed === true && -number >= min && -number <= max);
  if (numbers.every(inside) && !(SINGLE.includes(name) && numbers.length > 1)) return;
  const more = name === 'COUNT' ? '; for more, say UNTIL' : '';
  throw refused(`${name}=${value}`, `${min} to ${max}${signed ? ` or -${max} to -${min}` : ''}${more}`);
}

function readOptions(text: string): Partial<Options> {
  try {
    return RRule.parseString(text);
  } catch (error) {
    throw new ScheduleError('rrule_syntax', `cannot read the rule "${text}": ${String(error)}`, {
      part: text,
      allowed: 'a recurrence rule by RFC 5545, 3.3.10',
    });
  }
}

function toParts(options: Partial<Options>, until: string | undefined): RruleParts {
  return {
    freq: FREQUENCIES[options.freq ?? 0] ?? 'YEARLY',
    interval: options.interval ?? 1,
    count: options.count ?? undefined,
    until,
    weekStart: options.wkst === undefined || options.wkst === null ? 1 : fromSunday(options.wkst),
    bySecond: numbers(options.bysecond),
    byMinute: numbers(options.byminute),
    byHour: numbers(options.byhour),
    byDay: [options.byweekday ?? []].flat().map(toWeekday),
    byMonthDay: numbers(options.bymonthday),
    byYearDay: numbers(options.byyearday),
    byWeekNo: numbers(options.byweekno),
    byMonth: numbers(options.bymonth),
    bySetPos: numbers(options.bysetpos),
  };
}

function numbers(value: number | number[] | null | undefined): readonly number[] {
  return [...new Set([value ?? []].flat())].sort((a, b) => a - b);
}

type LibraryWeekday = number | string | Weekday;

function toWeekday(day: LibraryWeekday): { weekday: number; nth: number | undefined } {
  if (typeof day === 'string') throw new EscapementError('rrule_weekday', `unexpected weekday "${day}"`);
  return { weekday: fromSunday(day), nth: typeof day === 'number' ? undefined : day.n };
}

/** The library counts weekdays from 0 = Monday. */
function fromSunday(day: number | Weekday): number {
  return ((typeof day === 'number' ? day : day.weekday) + 1) % 7;
}

function checkTogether({ freq, count, until, byDay, byWeekNo }: RruleParts, text: string): void {
  if (!/(^|;)FREQ=/.test(text)) throw refused(text, `FREQ=${FREQUENCIES.join(' | FREQ=')}`);
  if (count !== undefined && until !== undefined)
    throw refused(`COUNT=${count};UNTIL=${until}`, 'either COUNT or UNTIL');
  const nth = byDay.find((day) => day.nth !== undefined);
  if (nth && freq !== 'MONTHLY' && freq !== 'YEARLY')
    throw refused(`BYDAY with FREQ=${freq}`, 'the nth weekday of a month or a year only');
  if (nth && byWeekNo.length > 0) throw refused('BYDAY with BYWEEKNO', 'weekdays without a number before them');
}

function refused(part: string, allowed: string): ScheduleError {
  return new ScheduleError('rrule_value', `the rule cannot have "${part}"`, { part, allowed });
}

function unknownPart(part: string, name: string): ScheduleError {
  const hint = nearest(name, PARTS);
  return new ScheduleError('rrule_part', `the rule has an unknown part "${part}"`, {
    part,
    allowed: `${hint ? `did you mean ${hint}? ` : ''}${PARTS.join(', ')}`,
  });
}
