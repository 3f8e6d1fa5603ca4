import { DAY, EscapementError, HOUR, MINUTE, SECOND } from '@escapement/core';

const UNIT_MS: Record<string, number> = { s: SECOND, m: MINUTE, min: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

const SPAN = /^(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w)$/;
const LOCAL = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?))?$/;
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i;

export interface InstantOptions {
  /** What is parsed, for the error: `--since`. */
  what: string;
  now: Date;
  /** Whether `2h` is two hours ago or two hours ahead. */
  spans: 'ago' | 'ahead';
  /** Zone of a time without an offset. */
  timeZone: string;
}

/**
 * Reads an instant as people type it: ISO 8601 with an offset; a date, or date and time, in the given zone; `now`; a
 * span such as `90s`, `15m`, `2h`, `7d`. Throws `bad_instant`.
 */
export function readInstant(text: string, options: InstantOptions): Date {
  const read = spanFrom(text, options) ?? isoInstant(text) ?? localInstant(text, options.timeZone);
  if (read && !Number.isNaN(read.getTime())) return read;
  throw new EscapementError('bad_instant', `${options.what} is "${text}", which is no date or time`, {
    fix: `give 2026-03-29T03:00:00Z, 2026-03-29 or "2026-03-29 03:00" (in ${options.timeZone}), or a span such as 15m, 2h, 7d (${options.spans === 'ago' ? 'that long ago' : 'from now'})`,
  });
}

function spanFrom(text: string, { now, spans }: InstantOptions): Date | undefined {
  if (text === 'now') return now;
  const [, count, unit = ''] = SPAN.exec(text) ?? [];
  if (count === undefined) return undefined;
  const ms = Number(count) * (UNIT_MS[unit] ?? 0);
  return new Date(now.getTime() + (spans === 'ago' ? -ms : ms));
}

function isoInstant(text: string): Date | undefined {
  return WITH_OFFSET.test(text) ? new Date(text.replace(' ', 'T')) : undefined;
}

function localInstant(text: string, timeZone: string): Date | undefined {
  const [, date, time = '00:00'] = LOCAL.exec(text) ?? [];
  if (date === undefined) return undefined;
  const asUtc = Date.parse(`${date}T${time}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  // The offset at the first guess may be the one of the other side of a change: guess again with it.
  const guess = asUtc - offsetMs(asUtc, timeZone);
  return new Date(asUtc - offsetMs(guess, timeZone));
}

function offsetMs(atMs: number, timeZone: string): number {
  const name = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(new Date(atMs))
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d+):?(\d+)?:?(\d+)?/.exec(name ?? '') ?? [];
  const ms = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND;
  return sign === '-' ? -ms : ms;
}
