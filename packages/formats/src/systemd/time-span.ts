import { DAY, HOUR, MINUTE, SECOND } from '@escapement/core';
import { cannotSay } from '../translated/translated.ts';

/** systemd.time(7): a month is 30.44 days, a year 365.25. */
const UNITS: readonly [RegExp, number][] = [
  [/^(usec|us|µs|μs)$/, SECOND / 1_000_000],
  [/^(msec|ms)$/, SECOND / 1000],
  [/^(seconds|second|sec|s|)$/, SECOND],
  [/^(minutes|minute|min|m)$/, MINUTE],
  [/^(hours|hour|hr|h)$/, HOUR],
  [/^(days|day|d)$/, DAY],
  [/^(weeks|week|w)$/, 7 * DAY],
  [/^(months|month|M)$/, 30.44 * DAY],
  [/^(years|year|y)$/, 365.25 * DAY],
];

/** Milliseconds of a span such as `1h 30min` or `90`; Infinity for `infinity`. Throws `cannot_say`. */
export function readSpan(key: string, text: string): number {
  if (text.trim() === 'infinity') return Number.POSITIVE_INFINITY;
  const members = [...text.matchAll(/\s*(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-zµμ]*)/g)];
  const read = members.map(([member]) => member).join('');
  if (members.length === 0 || read !== text.trimEnd()) throw noSpan(key, text);
  const total = members.reduce((sum, [, amount = '', unit = '']) => {
    const factor = UNITS.find(([name]) => name.test(unit))?.[1];
    if (factor === undefined) throw noSpan(key, text);
    return sum + Number(amount) * factor;
  }, 0);
  return Math.round(total);
}

function noSpan(key: string, text: string): Error {
  return cannotSay(`${key}=${text} is no span of time`, 'write it as in 1h 30min, 90 (seconds) or infinity');
}

/** The same as a span. */
export function spanText(ms: number): string {
  for (const [unit, size] of [
    ['d', DAY],
    ['h', HOUR],
    ['min', MINUTE],
    ['s', SECOND],
  ] as const)
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  return `${ms}ms`;
}
