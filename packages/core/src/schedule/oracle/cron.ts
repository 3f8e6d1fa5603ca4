import { type Fields, holds, numberOf, type Scale } from './field.ts';
import { withoutHash } from './hash.ts';

const DAY = 86_400_000;

const SECOND: Scale = { name: 'second', min: 0, max: 59 };
const HOUR: Scale = { name: 'hour', min: 0, max: 23 };
const MONTH_DAY: Scale = { name: 'dayOfMonth', min: 1, max: 31 };
const MONTH: Scale = { name: 'month', min: 1, max: 12, words: 'month' };
const WEEK: Scale = { name: 'dayOfWeek', min: 0, max: 6, stepMax: 7, words: 'week' };
const QUARTZ_WEEK: Scale = { name: 'dayOfWeek', min: 1, max: 7, words: 'week', shift: 1 };
const YEAR: Scale = { name: 'year', min: 1970, max: 2099 };

const MACROS: { readonly [name: string]: string } = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
  '@minutely': '* * * * *',
};

export type DialectName = 'unix' | 'vixie' | 'quartz';

export function fieldsOf(expression: string, dialect: DialectName, seed: string): Fields {
  const text = expression.trim();
  const parts = (MACROS[text.toLowerCase()] ?? text).split(/\s+/);
  if (parts.length === 5 || (dialect === 'quartz' && parts.length === 6 && /\d\d\d\d/.test(parts[5] ?? '')))
    parts.unshift('0');
  if (parts.length === 6) parts.push('*');
  const [s = '', m = '', h = '', dom = '', month = '', dow = '', year = ''] = parts;
  const fields = [s, m, h, dom, month, dow, year] as const;
  return dialect === 'unix' ? withoutHash(fields, seed) : fields;
}

/** Of the seconds, minutes or hours, those that are in the field. */
export function timesIn(field: string, unit: 'second' | 'minute' | 'hour'): number[] {
  const scale = unit === 'hour' ? HOUR : { ...SECOND, name: unit };
  return Array.from({ length: scale.max + 1 }, (_, value) => value).filter((value) => holds(field, value, scale));
}

export const followsElapsedTime = (fields: Fields): boolean => fields.slice(0, 3).some((field) => /[*?/-]/.test(field));

/** Whether the date of a midnight (epoch ms, as if the zone were UTC) matches the date fields. */
export function dateMatches(fields: Fields, midnight: number, rules: { dialect: DialectName; and: boolean }): boolean {
  const [, , , dom, month, dow, year] = fields;
  const date = new Date(midnight);
  if (!holds(month, date.getUTCMonth() + 1, MONTH)) return false;
  if (year !== '*' && !yearMatches(year, date.getUTCFullYear())) return false;
  const byDay = monthDayMatches(dom, date);
  const weekField = dow.replace(/^[+]/, '');
  const byWeekday = weekdayMatches(weekField, date, rules.dialect);
  const both = restricts(dom, rules.dialect) && restricts(weekField, rules.dialect);
  return both && !rules.and && weekField === dow ? byDay || byWeekday : byDay && byWeekday;
}

/** Years do not go round: the one before the first is none of them. */
function yearMatches(field: string, year: number): boolean {
  return year >= YEAR.min && year <= YEAR.max && holds(field, year, YEAR);
}

function restricts(field: string, dialect: DialectName): boolean {
  if (dialect === 'vixie') return !field.startsWith('*');
  return !field.split(',').some((member) => member === '*' || member === '?' || /^\*\/0*1$/.test(member));
}

function monthDayMatches(field: string, date: Date): boolean {
  const day = date.getUTCDate();
  if (holds(field, day, MONTH_DAY)) return true;
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return field
    .toUpperCase()
    .split(',')
    .some((member) => {
      const fromEnd = /^L(?:-(\d+))?(W?)$/.exec(member);
      const near = /^(\d+)W$/.exec(member);
      if (!fromEnd && !near) return false;
      const target = fromEnd ? last - Number(fromEnd[1] ?? 0) : Number(near?.[1]);
      if (target < 1 || target > last) return false;
      return fromEnd?.[2] === '' ? day === target : day === closestWorkday(date, target, last);
    });
}

/** Looks at the days around the target, the nearer first, for one from Monday to Friday in the same month. */
function closestWorkday(month: Date, target: number, last: number): number {
  for (const distance of [0, -1, 1, -2, 2]) {
    const day = target + distance;
    const weekday = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth(), day)).getUTCDay();
    if (day >= 1 && day <= last && weekday >= 1 && weekday <= 5) return day;
  }
  return 0;
}

function weekdayMatches(field: string, date: Date, dialect: DialectName): boolean {
  const quartz = dialect === 'quartz';
  const scale = quartz ? QUARTZ_WEEK : WEEK;
  const weekday = date.getUTCDay() + (quartz ? 1 : 0);
  if (holds(field, weekday, scale) || (quartz && weekday === 7 && field.toUpperCase() === 'L')) return true;
  return field
    .toUpperCase()
    .split(',')
    .some((member) => {
      const [, word = '', nth] = /^(\w+?)(?:#(\d|L)|(?<=[\dA-Z])L)$/.exec(member) ?? [];
      if (word === '' || numberOf(word, scale) % 7 !== weekday % 7) return false;
      const inMonth = (days: number): boolean =>
        new Date(date.getTime() + days * DAY).getUTCMonth() === date.getUTCMonth();
      if (nth === undefined || nth === 'L') return !inMonth(7);
      return Math.ceil(date.getUTCDate() / 7) === Number(nth);
    });
}
