const SECOND = 1000;

export const UNITS = { s: SECOND, min: 60 * SECOND, h: 3600 * SECOND, d: 86_400 * SECOND } as const;

export type Unit = keyof typeof UNITS;

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
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
