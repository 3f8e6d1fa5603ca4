import { MINUTE } from '../clock.ts';

/** So many pings of a monitor count in a minute; others are refused, and change nothing. */
export const MOST_PINGS = 120;
const WINDOW_MS = 1 * MINUTE;

/** The minute that is counted. */
export interface PingWindow {
  since: Date;
  pings: number;
}

/** One more ping: the minute that it counts in; `waitMs`: until one would count again. */
export function countPing(window: PingWindow | null, at: Date): { window: PingWindow } | { waitMs: number } {
  const overMs = window ? window.since.getTime() + WINDOW_MS - at.getTime() : 0;
  // A clock that was set back does not keep pings out for longer than the window.
  if (!window || overMs <= 0 || overMs > WINDOW_MS) return { window: { since: at, pings: 1 } };
  if (window.pings >= MOST_PINGS) return { waitMs: overMs };
  return { window: { since: window.since, pings: window.pings + 1 } };
}
