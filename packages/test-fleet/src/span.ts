import { DAY, EscapementError, HOUR, MINUTE, SECOND } from '@escapement/core';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

/** Milliseconds, or text such as `1d`, `90 m`, `1d 12h`, `1.5h`; units `ms`, `s`, `m`, `h`, `d` (24 hours), `w`. */
export type Span = number | string;

const PART = /\s*(\d+(?:\.\d+)?)\s*(ms|[smhdw])\s*/y;

/** Throws `bad_span`. */
export function spanMs(span: Span): number {
  const ms = typeof span === 'number' ? span : readSpan(span);
  if (ms !== undefined && Number.isFinite(ms) && ms >= 0) return Math.round(ms);
  throw new EscapementError('bad_span', `${JSON.stringify(span)} is no span of time`, {
    fix: 'give milliseconds, or text such as 1d, 90m, 1d 12h, 30s',
  });
}

function readSpan(text: string): number | undefined {
  let ms: number | undefined;
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const [, count, unit = ''] = PART.exec(text) ?? [];
    if (count === undefined) return undefined;
    ms = (ms ?? 0) + Number(count) * (UNITS[unit] ?? Number.NaN);
  }
  return ms;
}
