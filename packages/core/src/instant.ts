import { z } from 'zod';
import { DAY, HOUR, MINUTE, SECOND } from './clock.ts';
import { EscapementError } from './errors.ts';

/**
 * The range of every instant from outside, in milliseconds of the epoch. A UUIDv7 holds no time before 1970, and Postgres reads no year
 * of five digits as `Date` writes it.
 */
export const FIRST_INSTANT_MS = 0;
export const LAST_INSTANT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const RANGE = 'instants lie between 1970-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z';

/** Whether these milliseconds of the epoch are in the range of instants. NaN is not. */
export function isInstantMs(ms: number): boolean {
  return ms >= FIRST_INSTANT_MS && ms <= LAST_INSTANT_MS;
}

/** The instant of these milliseconds of the epoch, or the end of the range that is nearer. For the borders of what is looked at. */
export function nearestInstant(ms: number): Date {
  return new Date(Math.min(LAST_INSTANT_MS, Math.max(FIRST_INSTANT_MS, ms)));
}

/** Throws `bad_instant` for a date that is not valid, or out of range. `what` names it: `--since`. */
export function admitInstant(date: Date, what: string): Date {
  if (isInstantMs(date.getTime())) return date;
  const shown = Number.isNaN(date.getTime()) ? 'no date' : date.toISOString();
  throw new EscapementError('bad_instant', `${what} is ${shown}; ${RANGE}`, { fix: 'give an instant in that range' });
}

/** An instant as messages, files and requests have it: ISO 8601 with an offset, in the range of instants. */
export const instantText = z.iso
  .datetime({ offset: true, abort: true })
  .refine((text) => isInstantMs(Date.parse(text)), {
    error: ({ input }) => `${String(input)} is out of range: ${RANGE}`,
  });

const UNIT_MS: Record<string, number> = { s: SECOND, m: MINUTE, min: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

const SPAN = /^(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w)$/;
/** Ago with a minus, from now with a plus; without either as the question says. */
const SIGNED_SPAN = /^([+-]?)(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w)$/;
const LOCAL = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?))?$/;
const WITH_OFFSET = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?:Z|[+-]\d{2}:?\d{2})$/i;

export interface InstantOptions {
  /** What is parsed, for the error: `--since`. */
  what: string;
  now: Date;
  /** Whether `2h` is two hours ago or two hours ahead; `-2h` and `+2h` say so themselves. */
  spans: 'ago' | 'ahead';
  /** Zone of a time without an offset. */
  timeZone: string;
}

/**
 * Reads an instant as people type it: ISO 8601 with an offset; a date, or date and time, in the given zone; `now`; a
 * span such as `90s`, `15m`, `-2h`, `+7d`. A date that no calendar has, and a time that the clock leaves out, are none. Of a time
 * that there is twice it is the first. Throws `bad_instant`, also for what is out of the range of instants.
 */
export function readInstant(text: string, options: InstantOptions): Date {
  const read = spanFrom(text, options) ?? isoInstant(text) ?? localInstant(text, options.timeZone);
  if (read) return inRange(read, text, options.what);
  throw new EscapementError(
    'bad_instant',
    `${options.what} is "${text}", which is no date or time${LOCAL.test(text) ? ` in ${options.timeZone}` : ''}`,
    {
      fix: `give 2026-03-29T03:00:00Z, 2026-03-29 or "2026-03-29 03:00" (in ${options.timeZone}), or a span such as 15m, 2h, 7d (${options.spans === 'ago' ? 'that long ago' : 'from now'})`,
    },
  );
}

function inRange(read: Date, text: string, what: string): Date {
  if (isInstantMs(read.getTime())) return read;
  throw new EscapementError('bad_instant', `${what} is "${text}", which is out of range: ${RANGE}`, {
    fix: 'give an instant in that range',
  });
}

/** A length of time as people type it, in milliseconds: `90s`, `15m`, `2h`, `7d`. Throws `bad_span`. */
export function readSpan(what: string): (text: string) => number {
  return (text) => {
    const [, count, unit = ''] = SPAN.exec(text) ?? [];
    const ms = count === undefined ? Number.NaN : Math.round(Number(count) * (UNIT_MS[unit] ?? 0));
    if (ms <= LAST_INSTANT_MS) return ms;
    throw new EscapementError('bad_span', `${what} is "${text}"`, {
      fix: 'give a number with a unit: 30s, 15m, 2h, 7d',
    });
  };
}

function spanFrom(text: string, { now, spans }: InstantOptions): Date | undefined {
  if (text === 'now') return now;
  const [, sign, count, unit = ''] = SIGNED_SPAN.exec(text) ?? [];
  if (count === undefined) return undefined;
  const ms = Number(count) * (UNIT_MS[unit] ?? 0);
  const isAgo = sign ? sign === '-' : spans === 'ago';
  return new Date(now.getTime() + (isAgo ? -ms : ms));
}

function isoInstant(text: string): Date | undefined {
  const [, date, time] = WITH_OFFSET.exec(text) ?? [];
  return date === undefined || time === undefined || asUtcMs(date, time) === undefined
    ? undefined
    : new Date(text.replace(' ', 'T'));
}

/** Undefined: there is no such date, or no such time of day. `Date` would go on into the next month, or day. */
function asUtcMs(date: string, time: string): number | undefined {
  const ms = Date.parse(`${date}T${time}Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(`${date}T${time.slice(0, 5)}`) ? ms : undefined;
}

function localInstant(text: string, timeZone: string): Date | undefined {
  const [, date, time = '00:00'] = LOCAL.exec(text) ?? [];
  const asUtc = date === undefined ? undefined : asUtcMs(date, time);
  if (asUtc === undefined) return undefined;
  // One of the offsets around it is its own, unless a change of the clock leaves it out.
  const offsets = [asUtc - DAY, asUtc + DAY].map((at) => offsetMs(at, timeZone));
  const instants = offsets.map((offset) => asUtc - offset).filter((at) => at + offsetMs(at, timeZone) === asUtc);
  return instants.length === 0 ? undefined : new Date(Math.min(...instants));
}

function offsetMs(atMs: number, timeZone: string): number {
  const name = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(new Date(atMs))
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d+):?(\d+)?:?(\d+)?/.exec(name ?? '') ?? [];
  const ms = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND;
  return sign === '-' ? -ms : ms;
}
