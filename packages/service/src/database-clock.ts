import type { Clock } from '@escapement/core';

/** Monotonic clocks of two machines drift apart by at most so much of the time that passes. */
const MAX_DRIFT = 0.001;

interface Anchor {
  /** Postgres' clock less this process' monotonic one, in milliseconds. */
  skewMs: number;
  /** The answer was on its way for so long that the skew may be wrong by this. */
  errorMs: number;
  atMs: number;
}

/** What a process knows of Postgres' clock. */
export interface DatabaseClock {
  /** Takes in that Postgres answered `answer` to what was asked and heard at these instants of the monotonic clock. */
  measure(answer: Date, sentMs: number, heardMs: number): void;
  /** Postgres' time; null before the first answer. */
  now(): Date | null;
  /** This process' wall clock less Postgres'; null before the first answer. */
  offsetMs(): number | null;
  /** Whether the wall clock is off by at most the bound, as well as can be told. */
  ok(): boolean;
}

/**
 * Carries Postgres' clock on by the monotonic one. A wall clock that somebody sets does not change it, and shows at
 * once, without another answer. Of two answers the one that was on its way for less time counts.
 */
export function createDatabaseClock(clock: Clock, maxOffsetMs: number): DatabaseClock {
  let anchor: Anchor | undefined;

  function now(): number | undefined {
    return anchor && clock.monotonicMs() + anchor.skewMs;
  }

  function offsetMs(): number | null {
    const databaseMs = now();
    return databaseMs === undefined ? null : Math.round(clock.now().getTime() - databaseMs);
  }

  return {
    measure(answer, sentMs, heardMs) {
      const next = {
        skewMs: answer.getTime() - (sentMs + heardMs) / 2,
        errorMs: (heardMs - sentMs) / 2,
        atMs: heardMs,
      };
      if (!anchor || isBetter(next, anchor)) anchor = next;
    },
    now() {
      const databaseMs = now();
      return databaseMs === undefined ? null : new Date(databaseMs);
    },
    offsetMs,
    ok() {
      const offset = offsetMs();
      if (offset === null || !anchor) return false;
      // A slow answer must not make a good clock a bad one; nor may it excuse any clock.
      return Math.abs(offset) <= maxOffsetMs + Math.min(anchor.errorMs, maxOffsetMs);
    },
  };
}

function isBetter(next: Anchor, known: Anchor): boolean {
  const knownErrorMs = known.errorMs + (next.atMs - known.atMs) * MAX_DRIFT;
  // They contradict each other: Postgres' clock was set, or this machine slept.
  if (Math.abs(next.skewMs - known.skewMs) > next.errorMs + knownErrorMs) return true;
  return next.errorMs <= knownErrorMs;
}
