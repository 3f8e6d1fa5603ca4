import { CronExpressionParser } from 'cron-parser';
import { FIELDS, type Field } from './field.ts';
import { type Item, isSpan, type Span } from './item.ts';

/** What cron-parser reads: numbers and names, ranges that run forwards, steps, lists. It knows no Quartz weekdays. */
const STANDARD = /^[*\dA-Z/,-]+$/i;

/** cron-parser takes 80 us for an expression; a fleet's fields are few. */
const known = new Map<string, readonly number[]>();
const KNOWN_MAX = 5000;

/** The values of a field, ascending; weekdays 0 to 6 from Sunday. Special days (L, W, #) are not among them. */
export function valuesOf(field: Field, text: string, items: readonly Item[]): readonly number[] {
  const key = `${field.name} ${field.min} ${text}`;
  const found = known.get(key);
  if (found) return found;
  const spans = items.filter(isSpan);
  const standard = spans.length === items.length ? standardValues(field, text) : undefined;
  const values = standard ?? spanValues(field, spans);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(key, values);
  return values;
}

/**
 * The values by cron-parser, or undefined where the text is beyond it: ranges that wrap around, lists
 * whose members share a value (`1-5,3`), H, special days, years.
 */
export function standardValues(field: Field, text: string): readonly number[] | undefined {
  const position = FIELDS.indexOf(field.name);
  if (!STANDARD.test(text) || field.name === 'year' || (field.name === 'dayOfWeek' && field.min !== 0))
    return undefined;
  const expression = FIELDS.slice(0, 6).map((_, index) => (index === position ? text : '*'));
  try {
    const fields = CronExpressionParser.parse(expression.join(' '), { tz: 'UTC' }).fields;
    const values = fields[field.name as Exclude<Field['name'], 'year'>].values.map(Number);
    return field.name === 'dayOfWeek' ? sorted(values.map((value) => value % 7)) : values;
  } catch {
    return undefined;
  }
}

/** The values of plain items, by our own reading. */
export function spanValues(field: Field, spans: readonly Span[]): readonly number[] {
  return sorted(spans.flatMap((span) => steps(field, span)));
}

function steps(field: Field, { from, to, step }: Span): number[] {
  const cycle = field.cycle ?? Number.MAX_SAFE_INTEGER;
  const last = to < from ? to + cycle : to;
  const values: number[] = [];
  const first = field.name === 'dayOfWeek' ? 0 : field.min;
  const base = field.min;
  for (let value = from; value <= last; value += step) values.push(((value - base) % cycle) + first);
  return values;
}

function sorted(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
