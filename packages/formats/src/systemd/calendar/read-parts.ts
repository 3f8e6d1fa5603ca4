/** One member of a list: `from`, `from + step`, ... up to `to`. */
export interface Part {
  from: number;
  to: number;
  step: number;
}

export interface CalendarField {
  name: string;
  min: number;
  max: number;
  /** Counted from the end of a month: a step goes down. */
  fromEnd?: boolean;
}

export const FIELDS = {
  year: { name: 'year', min: 1970, max: 2199 },
  month: { name: 'month', min: 1, max: 12 },
  day: { name: 'day', min: 1, max: 31 },
  hour: { name: 'hour', min: 0, max: 23 },
  minute: { name: 'minute', min: 0, max: 59 },
  second: { name: 'second', min: 0, max: 59 },
} as const satisfies { [name: string]: CalendarField };

/** As systemd has it: each month has so many days. */
export const DAY_FROM_END: CalendarField = { name: 'day', min: 1, max: 28, fromEnd: true };

const PART = /^(\d+)(?:\.\.(\d+))?(?:\/(\d+))?$/;

type Refuse = (why: string) => Error;

/** The members of a field; null: `*`. Throws what `refuse` makes of the reason. */
export function readParts(field: CalendarField, text: string, refuse: Refuse): readonly Part[] | null {
  if (text === '*') return null;
  return text.split(',').map((member) => readPart(field, member, refuse));
}

function readPart(field: CalendarField, text: string, refuse: Refuse): Part {
  if (field.name === 'second' && text.includes('.') && /\d\.\d/.test(text.replaceAll('..', ' ')))
    throw refuse('a schedule goes by whole seconds');
  const [, first, last, step] = PART.exec(text) ?? [];
  if (first === undefined) throw refuse(`the ${field.name} is *, a number, a..b, or one of these with /step`);
  const from = numberIn(field, first, refuse);
  if (last === undefined && step === undefined) return { from, to: from, step: 1 };
  if (step !== undefined && Number(step) === 0) throw refuse('a step of 0');
  if (last === undefined) return repeated({ field, from, step: Number(step) }, refuse);
  const to = numberIn(field, last, refuse);
  if (to < from) throw refuse('the range runs backwards, which systemd refuses too');
  return { from, to, step: Number(step ?? 1) };
}

function repeated({ field, from, step }: { field: CalendarField; from: number; step: number }, refuse: Refuse): Part {
  const next = field.fromEnd ? from - step : from + step;
  if (next < field.min || next > field.max) throw refuse(`the step of ${step} leads out of the ${field.name}`);
  if (!field.fromEnd) return { from, to: field.max, step };
  return { from: from - Math.floor((from - field.min) / step) * step, to: from, step };
}

function numberIn({ name, min, max }: CalendarField, digits: string, refuse: Refuse): number {
  const value = name === 'year' && Number(digits) < 100 ? fullYear(Number(digits)) : Number(digits);
  if (value < min || value > max) throw refuse(`the ${name} is ${min} to ${max}`);
  return value;
}

/** POSIX: 69 to 99 are of the last century. */
function fullYear(year: number): number {
  return year < 70 ? 2000 + year : 1900 + year;
}

/** All values of a field, ascending. */
export function valuesOf(parts: readonly Part[]): number[] {
  const values = parts.flatMap(({ from, to, step }) =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step),
  );
  return [...new Set(values)].sort((one, other) => one - other);
}
