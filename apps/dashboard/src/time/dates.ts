const DAY = 24 * 60 * 60 * 1000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** The day of an instant on the clock of a zone: `2026-12-25`. */
export function dateIn(zone: string, atMs: number): string {
  return clockIn(zone, atMs).slice(0, 10);
}

/** The hour of an instant on the clock of a zone, from 0 to 23. */
export function hourIn(zone: string, atMs: number): number {
  return Number(clockIn(zone, atMs).slice(11, 13));
}

/** The minute of an instant on the clock of a zone, from 0 to 59. */
export function minuteIn(zone: string, atMs: number): number {
  return Number(clockIn(zone, atMs).slice(14, 16));
}

/** 0 is Monday. */
export function weekdayOf(date: string): number {
  return (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
}

/** So many days after a day; before it, if negative. */
export function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}

/** `2026-12-25 18:30` */
function clockIn(zone: string, atMs: number): string {
  const known = formats.get(zone);
  if (known) return known.format(atMs);
  const made = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(zone, made);
  return made.format(atMs);
}
