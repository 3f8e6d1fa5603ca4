import { DAY, HOUR } from './durations.ts';

export const ENDS = ['hour', 'day', 'week', 'at'] as const;

/** When something ends that a person begins: so long from now, or at an instant that they give. */
export type End = (typeof ENDS)[number];

const SPANS: Readonly<Record<Exclude<End, 'at'>, number>> = { hour: HOUR, day: DAY, week: 7 * DAY };

/** As the API takes it. Undefined: the instant is still to be given. */
export function endOf(end: End, at: string, now: number): string | undefined {
  if (end !== 'at') return new Date(now + SPANS[end]).toISOString();
  // A field of the browser: without a zone, so in that of the browser.
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
