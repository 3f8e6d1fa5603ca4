export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The one source of time. Everything else takes a `Clock` or an instant. */
export interface Clock {
  /** The current instant. */
  now(): Date;
  /** Milliseconds since an arbitrary point; never steps back. For measuring spans, never for instants. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
