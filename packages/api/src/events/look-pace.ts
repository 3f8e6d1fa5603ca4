import { SECOND } from '@escapement/core';

export const LOOK_EVERY_MS = 250;
/** Looks take this share of the time at most: where the ledger is slow, what has changed is told later. */
const SHARE = 0.2;
/** So many looks count for that: one of them goes far back, and takes longer than the others. */
const LOOKS = 4;
const MOST_WAIT_MS = 5 * SECOND;

/** Says how long to wait after a look that took so long, in milliseconds. */
export function createLookPace(): (tookMs: number) => number {
  let took: readonly number[] = [];
  return (tookMs) => {
    took = [...took, tookMs].slice(-LOOKS);
    const usualMs = took.reduce((sum, each) => sum + each, 0) / took.length;
    return Math.min(MOST_WAIT_MS, Math.max(LOOK_EVERY_MS - tookMs, usualMs / SHARE - usualMs, 1));
  };
}
