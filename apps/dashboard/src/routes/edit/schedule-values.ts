import { DAY, HOUR, MINUTE, SECOND } from '../../time/durations.ts';

export const UNITS = { s: SECOND, min: MINUTE, h: HOUR, d: DAY } as const;

export type Unit = keyof typeof UNITS;

export const UNIT_NAMES = Object.keys(UNITS) as Unit[];

/** The largest unit of which a span is a whole number. */
export function unitOf(ms: number | undefined): Unit {
  if (ms === undefined || ms <= 0) return 'h';
  return (['d', 'h', 'min'] as const).find((unit) => ms % UNITS[unit] === 0) ?? 's';
}

/** An instant as a field of the browser takes it: in its own zone, to the minute. */
export function localOf(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** What a field for numbers holds: while one types, it may be text that is no number yet. */
export function numberOf(typed: number | string): number | undefined {
  const value = typeof typed === 'number' ? typed : Number.parseFloat(typed);
  return Number.isFinite(value) ? value : undefined;
}
