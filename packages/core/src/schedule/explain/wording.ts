export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** From 1 = January. */
export const MONTHS = [
  '',
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `a`, `a and b`, `a, b and c`. */
export function list(words: readonly string[], conjunction = 'and'): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}

/** Ascending numbers as words, where three or more in a row become `first to last`. */
export function runs(values: readonly number[], word: (value: number) => string): string[] {
  const words: string[] = [];
  for (let i = 0; i < values.length; ) {
    let end = i;
    while (values[end + 1] === (values[end] ?? 0) + 1) end++;
    const [first = 0, last = 0] = [values[i], values[end]];
    if (end - i >= 2) words.push(`${word(first)} to ${word(last)}`);
    else words.push(...values.slice(i, end + 1).map(word));
    i = end + 1;
  }
  return words;
}

/** The common distance of values that go round a cycle evenly (0, 20, 40 of 60), or undefined. */
export function evenStep(values: readonly number[], cycle: number): number | undefined {
  const step = cycle / values.length;
  const first = values[0] ?? 0;
  return values.length > 1 && values.every((value, index) => value === first + index * step) ? step : undefined;
}

export const two = (value: number): string => String(value).padStart(2, '0');

const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth'];

export const ordinal = (nth: number): string => (nth < 0 ? 'last' : (ORDINALS[nth] ?? `${nth}th`));

const UNITS: readonly (readonly [string, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

/** `5 minutes`, `1 hour and 30 minutes`, `1500 ms`. */
export function duration(ms: number): string {
  const words: string[] = [];
  let rest = ms;
  for (const [unit, length] of UNITS) {
    const count = Math.floor(rest / length);
    if (count > 0) words.push(`${count} ${unit}${count === 1 ? '' : 's'}`);
    rest -= count * length;
  }
  if (rest > 0 || words.length === 0) words.push(`${rest} ms`);
  return list(words);
}

/** `every 5 minutes`, but `every minute`. */
export function every(count: number, unit: string): string {
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}
