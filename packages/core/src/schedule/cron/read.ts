import { nearest } from '../../errors.ts';
import { ScheduleError } from '../error.ts';
import { DIALECTS, type Dialect, FIELDS, type FieldName } from './field.ts';
import { type Item, type Place, readItem } from './item.ts';
import { valuesOf } from './values.ts';

export interface ReadField {
  /** As it was written; `0` for a second that was left out. */
  text: string;
  items: readonly Item[];
  /** Ascending. Weekdays 0 to 6 from Sunday. Without special days. */
  values: readonly number[];
}

/** A cron expression, understood but not yet made ready for searching. */
export interface CronReading {
  dialect: Dialect;
  fields: { readonly [name in FieldName]: ReadField };
  /** The day of week is written with a `+`: a day has to match both day fields. */
  bothDays: boolean;
}

const MACROS: { readonly [name: string]: string } = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** cron itself has none for each minute. */
const UNIX_MACROS: { readonly [name: string]: string } = { ...MACROS, '@minutely': '* * * * *' };

/** Reads an expression without H (see `withoutHash`), or throws a `ScheduleError` that names the field, the value and what is allowed. */
export function readCron(expression: string, dialectName: Dialect['name']): CronReading {
  const dialect = DIALECTS[dialectName];
  const text = expression.trim();
  const macro = text.startsWith('@') ? text.toLowerCase() : undefined;
  const written = splitFields(macro ? expandMacro(macro, dialect) : text, dialect);
  const bothDays = dialect.bothDays && written.dayOfWeek.startsWith('+');
  const texts = bothDays ? { ...written, dayOfWeek: written.dayOfWeek.slice(1) } : written;
  const read = (name: FieldName): ReadField => readField(texts[name], { field: dialect.fields[name], dialect });
  const [second, minute, hour, dayOfMonth, month, dayOfWeek, year] = FIELDS.map(read) as Seven;
  const fields = { second, minute, hour, dayOfMonth, month, dayOfWeek, year };
  return { dialect, fields, bothDays };
}

type Seven = [ReadField, ReadField, ReadField, ReadField, ReadField, ReadField, ReadField];
type Texts = { [name in FieldName]: string };

function expandMacro(macro: string, dialect: Dialect): string {
  if (dialect.name === 'quartz')
    throw new ScheduleError('cron_macro', `the Quartz dialect has no macros such as "${macro}"`, {
      part: macro,
      allowed: 'its fields, as in "0 0 0 * * ?" for every day',
    });
  const macros = dialect.name === 'unix' ? UNIX_MACROS : MACROS;
  const expanded = macros[macro];
  if (expanded) return expanded;
  const hint = nearest(macro, Object.keys(macros));
  const others: { [name: string]: string } = {
    '@reboot': '@reboot names no instant; the crontab import knows it',
    '@every': 'an interval is a schedule of kind "every"',
    '@minutely': 'the dialect "unix" has it; cron says "* * * * *"',
  };
  const known = Object.keys(macros).join(', ');
  throw new ScheduleError('cron_macro', `unknown macro "${macro}"`, {
    part: macro,
    allowed: others[macro.split(' ')[0] ?? ''] ?? `${hint ? `did you mean ${hint}? ` : ''}${known}`,
  });
}

function splitFields(text: string, dialect: Dialect): Texts {
  const parts = text === '' ? [] : text.split(/\s+/);
  const layout = layoutOf(parts, dialect);
  if (!layout) throw wrongCount(text, parts.length, dialect);
  const texts: Texts = {
    second: '0',
    minute: '*',
    hour: '*',
    dayOfMonth: '*',
    month: '*',
    dayOfWeek: '*',
    year: '*',
  };
  for (const [index, name] of layout.entries()) texts[name] = parts[index] ?? '*';
  if (dialect.name === 'quartz') oneQuestionMark(texts, text);
  return texts;
}

function layoutOf(parts: readonly string[], dialect: Dialect): readonly FieldName[] | undefined {
  const count = parts.length;
  if (dialect.name === 'quartz') {
    if (count === 7) return FIELDS;
    // Minute first and a year at the end: no weekday has four digits, so this is not a guess.
    if (count === 6) return /\d{4}/.test(parts[5] ?? '') ? FIELDS.slice(1) : FIELDS.slice(0, 6);
    return undefined;
  }
  if (count === 5) return FIELDS.slice(1, 6);
  return dialect.name === 'unix' && (count === 6 || count === 7) ? FIELDS.slice(0, count) : undefined;
}

function wrongCount(text: string, count: number, dialect: Dialect): ScheduleError {
  const allowed = {
    unix: '5 fields (minute hour day-of-month month day-of-week), or 6 with the second first, or 7 with the second first and the year last',
    vixie: '5 fields: minute hour day-of-month month day-of-week',
    quartz: '6 or 7 fields: second minute hour day-of-month month day-of-week [year]',
  };
  return new ScheduleError('cron_field_count', `"${text}" has ${count} field${count === 1 ? '' : 's'}`, {
    part: text,
    allowed: allowed[dialect.name],
  });
}

/** Quartz: "support for specifying both a day-of-week AND a day-of-month parameter is not implemented". */
function oneQuestionMark(texts: Texts, text: string): void {
  if ((texts.dayOfMonth === '?') !== (texts.dayOfWeek === '?')) return;
  throw new ScheduleError('cron_question_mark', `"${text}" needs ? in exactly one of its two day fields`, {
    part: `${texts.dayOfMonth} ${texts.dayOfWeek}`,
    allowed: 'Quartz wants ? in the day of month or in the day of week, and a value or * in the other',
  });
}

function readField(text: string, { field, dialect }: Place): ReadField {
  const isDay = field.name === 'dayOfMonth' || field.name === 'dayOfWeek';
  const plain = text === '?' && isDay && dialect.specialDays ? '*' : text;
  // Quartz: "L in the day-of-week field by itself simply means 7 or SAT".
  const lastOfWeek = dialect.name === 'quartz' && field.name === 'dayOfWeek' && /^L$/i.test(plain);
  const items = (lastOfWeek ? 'SAT' : plain).split(',').map((member) => readItem(member, { field, dialect }));
  return { text, items, values: valuesOf(field, plain, items) };
}
