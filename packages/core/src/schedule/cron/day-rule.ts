import { dayNumber, daysInMonth, weekday } from '../civil.ts';
import { flags } from '../day-times.ts';
import type { Item } from './item.ts';
import type { CronReading, ReadField } from './read.ts';

type SpecialDay = Exclude<Item, { from: number }>;

/** Which days match. Days of a month are flags 0 to 30 for 1 to 31, weekdays flags 0 to 6 from Sunday. */
export interface DayRule {
  /** Every day of every month matches. */
  always: boolean;
  monthDays: number;
  weekdays: number;
  /** Special days of either field; both lists are empty for plain expressions. */
  specialMonthDays: readonly SpecialDay[];
  specialWeekdays: readonly SpecialDay[];
  either: boolean;
}

const ALL_DAYS = 0x7fff_ffff;
const ALL_WEEKDAYS = 0x7f;
const NONE: readonly SpecialDay[] = [];

export function dayRule({ dialect, fields, bothDays }: CronReading, dayMatch: 'or' | 'and' | undefined): DayRule {
  const { dayOfMonth, dayOfWeek, month, year } = fields;
  const restricts = (field: ReadField): boolean =>
    dialect.starPrefix ? !field.text.startsWith('*') : !field.items.some((item) => item.kind === 'all');
  const rule = {
    monthDays: flags(dayOfMonth.values.map((day) => day - 1)),
    weekdays: flags(dayOfWeek.values),
    specialMonthDays: specials(dayOfMonth),
    specialWeekdays: specials(dayOfWeek),
    // Where only one field restricts, the other one is full and "and" leaves it out of account.
    either: restricts(dayOfMonth) && restricts(dayOfWeek) && dayMatch !== 'and' && !bothDays,
  };
  const unrestricted = rule.monthDays === ALL_DAYS && rule.weekdays === ALL_WEEKDAYS;
  return { ...rule, always: unrestricted && month.values.length === 12 && year.text === '*' };
}

function specials(field: ReadField): readonly SpecialDay[] {
  const found = field.items.filter((item): item is SpecialDay => !('from' in item));
  return found.length > 0 ? found : NONE;
}

/** The matching days of a month as flags 0 to 30. */
export function dayMask(rule: DayRule, year: number, month: number): number {
  const length = daysInMonth(year, month);
  const first = weekday(dayNumber(year, month, 1));
  let byDay = rule.monthDays;
  for (const special of rule.specialMonthDays) byDay |= specialFlag(special, length, first);
  let byWeekday = weekdayMask(rule.weekdays, first);
  for (const special of rule.specialWeekdays) byWeekday |= specialFlag(special, length, first);
  return (rule.either ? byDay | byWeekday : byDay & byWeekday) & (ALL_DAYS >>> (31 - length));
}

/** The weekdays' flags laid over a month that begins with `first`. */
function weekdayMask(weekdays: number, first: number): number {
  const week = ((weekdays >> first) | (weekdays << (7 - first))) & ALL_WEEKDAYS;
  return week | (week << 7) | (week << 14) | (week << 21) | ((week & 0b111) << 28);
}

function specialFlag(special: SpecialDay, length: number, first: number): number {
  if (special.kind === 'nth') return nthFlag(special, length, first);
  const day = special.kind === 'last' ? length - special.back : special.day;
  if (day < 1 || day > length) return 0;
  const exact = special.kind === 'last' && !special.onWeekday;
  return 1 << ((exact ? day : nearestWeekday(day, length, first)) - 1);
}

function nthFlag({ weekday, nth }: { weekday: number; nth: number }, length: number, first: number): number {
  const earliest = 1 + ((weekday - first + 7) % 7);
  const day = nth > 0 ? earliest + (nth - 1) * 7 : earliest + Math.floor((length - earliest) / 7) * 7;
  return day <= length ? 1 << (day - 1) : 0;
}

/** Quartz: W never leaves the month, so that 1W on a Saturday is Monday the 3rd. */
function nearestWeekday(day: number, length: number, first: number): number {
  const dayOfWeek = (first + day - 1) % 7;
  if (dayOfWeek === 6) return day > 1 ? day - 1 : day + 2;
  if (dayOfWeek === 0) return day < length ? day + 1 : day - 2;
  return day;
}
