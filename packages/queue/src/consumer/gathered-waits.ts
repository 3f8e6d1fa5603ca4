import { systemClock } from '@escapement/core';
import { createDueTimer } from './due-timer.ts';

/** Waits that end together where many end at about the same time: what follows them then shares its statements and scripts. */
export interface GatheredWaits {
  /** Resolves after that time at the earliest, and some milliseconds later where others have ended just before. */
  wait(ms: number): Promise<void>;
}

/** The longest rest, in milliseconds. */
const MAX_REST_MS = 10;

/** For each wait that ended, in milliseconds: with more than 500 a second rests grow to the longest, with fewer they shrink to none. */
const REST_PER_WAIT_MS = 2;

/** One that ends alone leaves no rest behind: at low rates nothing is late by it. */
export function restAfter(count: number): number {
  return count <= 1 ? 0 : Math.min(MAX_REST_MS, count * REST_PER_WAIT_MS);
}

export function createGatheredWaits(): GatheredWaits {
  const timer = createDueTimer<() => void>({
    horizonMs: Number.POSITIVE_INFINITY,
    maxHeld: Number.POSITIVE_INFINITY,
    restMs: restAfter,
    onDue(due) {
      for (const resolve of due) resolve();
    },
  });
  return {
    wait: (ms) => new Promise((resolve) => timer.hold(systemClock.monotonicMs() + ms, resolve)),
  };
}
