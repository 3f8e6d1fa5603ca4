import { nearest } from '../../errors.ts';
import { ScheduleError } from '../error.ts';
import type { Dialect, Field } from './field.ts';

/** One member of a field's list. Weekdays are 0 to 6 from Sunday, whatever the dialect calls them. */
export type Item =
  /** `from`, `from + step`, ... up to `to`; a `to` below `from` wraps around. */
  | { kind: 'all' | 'value' | 'range' | 'step'; from: number; to: number; step: number }
  /** The last day of the month less `back` days; `onWeekday`: the Monday-to-Friday day nearest to it. */
  | { kind: 'last'; back: number; onWeekday: boolean }
  /** The Monday-to-Friday day of the month that is nearest to `day`. */
  | { kind: 'nearest'; day: number }
  /** The nth such weekday of the month; -1 is the last. */
  | { kind: 'nth'; weekday: number; nth: number };

export type Span = Extract<Item, { from: number }>;

export const isSpan = (item: Item): item is Span => 'from' in item;

/** Where an item stands. */
export interface Place {
  field: Field;
  dialect: Dialect;
}

const SPAN = /^(?:(\*)|([A-Z]+|\d+)(?:-([A-Z]+|\d+))?)?(?:\/(\d+))?$/;
const LAST_DAY = /^L(?:-(\d+))?(W)?$/;
const NEAREST_WEEKDAY = /^(\d+)W$/;
const NTH_WEEKDAY = /^([A-Z]+|\d+)(?:#(\d|L)|(L))$/;

export function readItem(text: string, place: Place): Item {
  const upper = text.toUpperCase();
  return readSpecialDay(upper, text, place) ?? readSpan(upper, text, place);
}

function readSpan(upper: string, text: string, place: Place): Item {
  const { field, dialect } = place;
  const match = SPAN.exec(upper);
  const [, star, first, second, stepText] = match ?? [];
  const bare = star === undefined && first === undefined;
  if (!match || upper === '' || (bare && !dialect.bareStep)) throw notAnItem(text, place);
  const step = stepText === undefined ? 1 : readStep(stepText, text, place);
  if (first === undefined) return everything(field, step, stepText !== undefined);
  const from = readValue(first, text, place);
  if (second === undefined)
    return stepText === undefined
      ? { kind: 'value', from, to: from, step }
      : { kind: 'step', from, to: field.max, step };
  const to = readValue(second, text, place);
  if (to < from && !(dialect.wrapAround && field.cycle)) throw backwards(text, place);
  return { kind: stepText === undefined ? 'range' : 'step', from, to, step };
}

function everything(field: Field, step: number, stepped: boolean): Item {
  const to = field.name === 'dayOfWeek' ? field.min + 6 : field.max;
  return { kind: stepped && step > 1 ? 'step' : 'all', from: field.min, to, step };
}

function readSpecialDay(upper: string, text: string, place: Place): Item | undefined {
  if (!place.dialect.specialDays) return undefined;
  if (place.field.name === 'dayOfMonth') return readDayOfMonth(upper, text, place);
  if (place.field.name === 'dayOfWeek') return readDayOfWeek(upper, text, place);
  return undefined;
}

function readDayOfMonth(upper: string, text: string, place: Place): Item | undefined {
  const last = LAST_DAY.exec(upper);
  if (last) {
    const back = Number(last[1] ?? 0);
    if (back > 30) throw outOfRange(text, String(back), 'days before the last: 0 to 30');
    return { kind: 'last', back, onWeekday: last[2] !== undefined };
  }
  const near = NEAREST_WEEKDAY.exec(upper);
  return near?.[1] ? { kind: 'nearest', day: readValue(near[1], text, place) } : undefined;
}

function readDayOfWeek(upper: string, text: string, place: Place): Item | undefined {
  const { dialect } = place;
  const match = NTH_WEEKDAY.exec(upper);
  if (!match?.[1]) return undefined;
  const nth = match[2] === undefined || match[2] === 'L' ? -1 : Number(match[2]);
  if (nth === 0 || nth > 5) throw outOfRange(text, String(nth), 'nth weekday of a month: 1 to 5');
  return { kind: 'nth', weekday: (readValue(match[1], text, place) - dialect.firstWeekday) % 7, nth };
}

export function readValue(word: string, text: string, place: Place): number {
  const { field } = place;
  const value = /^\d/.test(word) ? Number(word) : field.words?.get(word);
  if (value === undefined) throw unknownWord(word, text, place);
  if (value < field.min || value > field.max)
    throw new ScheduleError('cron_value', `${field.label}: ${word} in "${text}" is out of range`, {
      part: text,
      allowed: `${field.label}: ${range(field)}`,
    });
  return value;
}

export function readStep(digits: string, text: string, { field, dialect }: Place): number {
  const step = Number(digits);
  const largest = dialect.boundedStep ? field.max : Number.MAX_SAFE_INTEGER;
  if (step >= 1 && step <= largest) return step;
  throw new ScheduleError('cron_step', `${field.label}: the step of "${text}" is ${digits}`, {
    part: text,
    allowed: dialect.boundedStep ? `a step of 1 to ${field.max}` : 'a step of 1 or more',
  });
}

function unknownWord(word: string, text: string, { field }: Place): ScheduleError {
  const words = field.words ? [...field.words.keys()] : [];
  const suggestion = nearest(word.slice(0, 3), words);
  const hint = suggestion ? `did you mean ${suggestion}? ` : '';
  return new ScheduleError('cron_value', `${field.label}: "${word}" in "${text}" is not a value of this field`, {
    part: text,
    allowed: `${hint}${field.label}: ${range(field)}`,
  });
}

export function backwards(text: string, { field, dialect }: Place): ScheduleError {
  return new ScheduleError('cron_range', `${field.label}: the range "${text}" runs backwards`, {
    part: text,
    allowed: `a range from small to large${dialect.wrapAround ? '' : `; two ranges in a list wrap around`}`,
  });
}

function outOfRange(text: string, value: string, allowed: string): ScheduleError {
  return new ScheduleError('cron_value', `${value} in "${text}" is out of range`, { part: text, allowed });
}

function notAnItem(text: string, { field, dialect }: Place): ScheduleError {
  const special = dialect.specialDays ? specialForms(field) : '';
  const hash = dialect.hash && field.name !== 'year' ? ', H' : '';
  const message = text === '' ? `${field.label}: an empty list member` : `${field.label}: cannot read "${text}"`;
  return new ScheduleError('cron_syntax', message, {
    part: text,
    allowed: `${field.label}: ${range(field)}, *, a-b, a-b/step, */step${hash}${special}, and lists of these`,
  });
}

function specialForms(field: Field): string {
  if (field.name === 'dayOfMonth') return ', L, L-3, LW, 15W';
  return field.name === 'dayOfWeek' ? ', 5L, 1#3' : '';
}

function range(field: Field): string {
  const words = field.words ? [...field.words.keys()] : [];
  return `${field.min}-${field.max}${words.length > 0 ? ` or ${words[0]}-${words.at(-1)}` : ''}`;
}
