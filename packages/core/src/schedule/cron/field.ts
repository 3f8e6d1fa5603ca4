/** The fields of a cron expression, in the order in which they are written (the year last; not in Vixie's). */
export const FIELDS = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek', 'year'] as const;

export type FieldName = (typeof FIELDS)[number];

export interface Field {
  name: FieldName;
  /** As errors and explanations call it. */
  label: string;
  min: number;
  max: number;
  /** How many values there are before they repeat; undefined where a range cannot wrap around. */
  cycle?: number;
  /** Upper-case words that may stand for a value. */
  words?: ReadonlyMap<string, number>;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const numbered = (words: string[], first: number): ReadonlyMap<string, number> =>
  new Map(words.map((word, index) => [word, index + first]));

const SECOND: Field = { name: 'second', label: 'second', min: 0, max: 59, cycle: 60 };
const MINUTE: Field = { name: 'minute', label: 'minute', min: 0, max: 59, cycle: 60 };
const HOUR: Field = { name: 'hour', label: 'hour', min: 0, max: 23, cycle: 24 };
const DAY_OF_MONTH: Field = { name: 'dayOfMonth', label: 'day of month', min: 1, max: 31, cycle: 31 };
const MONTH: Field = { name: 'month', label: 'month', min: 1, max: 12, cycle: 12, words: numbered(MONTHS, 1) };
const YEAR: Field = { name: 'year', label: 'year', min: 1970, max: 2099 };
const weekdays = (first: number, max: number): Field => ({
  name: 'dayOfWeek',
  label: 'day of week',
  min: first,
  max,
  cycle: 7,
  words: numbered(WEEKDAYS, first),
});

/** What a dialect takes. `unix` and `vixie` number the week from 0 = Sunday (7 too), Quartz from 1 = Sunday. */
export interface Dialect {
  name: 'unix' | 'vixie' | 'quartz';
  fields: { readonly [name in FieldName]: Field };
  /** Number of the week's first day. */
  firstWeekday: 0 | 1;
  /** `FRI-MON`, `55-5`. */
  wrapAround: boolean;
  /** `/5` for `0/5`. */
  bareStep: boolean;
  /** A step may not be larger than the field's largest value. */
  boundedStep: boolean;
  /** `L`, `15W`, `1#3`, `?`. */
  specialDays: boolean;
  /** `H`, spread by a stable hash. */
  hash: boolean;
  /** `+MON`: the day of month as well as the day of week has to match. */
  bothDays: boolean;
  /** A day field that merely starts with `*` does not restrict. */
  starPrefix: boolean;
}

const clock = { second: SECOND, minute: MINUTE, hour: HOUR, dayOfMonth: DAY_OF_MONTH, month: MONTH, year: YEAR };

export const DIALECTS: { readonly [name in Dialect['name']]: Dialect } = {
  unix: {
    name: 'unix',
    fields: { ...clock, dayOfWeek: weekdays(0, 7) },
    firstWeekday: 0,
    wrapAround: true,
    bareStep: false,
    boundedStep: false,
    specialDays: true,
    hash: true,
    bothDays: true,
    starPrefix: false,
  },
  vixie: {
    name: 'vixie',
    fields: { ...clock, dayOfWeek: weekdays(0, 7) },
    firstWeekday: 0,
    wrapAround: false,
    bareStep: false,
    boundedStep: false,
    specialDays: false,
    hash: false,
    bothDays: false,
    starPrefix: true,
  },
  quartz: {
    name: 'quartz',
    fields: { ...clock, dayOfWeek: weekdays(1, 7) },
    firstWeekday: 1,
    wrapAround: true,
    bareStep: true,
    boundedStep: true,
    specialDays: true,
    hash: false,
    bothDays: false,
    starPrefix: false,
  },
};
