import { span } from '@escapement/core';

export { counted, inUtc, span } from '@escapement/core';

/** By zone: to make one takes longer than to use it a thousand times. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { ...FIELDS, timeZone });
  formats.set(timeZone, format);
  return format;
}

const FIELDS: Intl.DateTimeFormatOptions = {
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'longOffset',
};

/** An instant in a zone as `2026-03-29 03:00:00 +02:00`. */
export function inZone(at: Date, timeZone: string): string {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  const offset = part('timeZoneName').replace('GMT', '') || '+00:00';
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')} ${offset}`;
}

export function systemZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** `in 5 min`, `2 h ago`, seen from `now`. */
export function fromNow(at: Date, now: Date): string {
  const ms = at.getTime() - now.getTime();
  return ms >= 0 ? `in ${span(ms)}` : `${span(-ms)} ago`;
}
