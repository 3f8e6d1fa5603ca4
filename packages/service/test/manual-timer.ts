import type { Clock } from '@escapement/core';
import type { Timer } from '../src/timer.ts';

/** A clock and a timer whose hands the test turns. */
export interface ManualTimer extends Timer {
  clock: Clock;
  /** Delays of the callbacks that wait, soonest first. */
  pending(): number[];
  /** Moves on by `ms`, calling back what comes due on the way, and lets all promises settle. */
  advance(ms: number): Promise<void>;
}

export function createManualTimer(): ManualTimer {
  let nowMs = 0;
  let waiting: { atMs: number; callback: () => void }[] = [];

  async function settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  return {
    clock: { now: () => new Date(Date.UTC(2026, 0, 1) + nowMs), monotonicMs: () => nowMs },
    after(ms, callback) {
      const entry = { atMs: nowMs + ms, callback };
      waiting.push(entry);
      waiting.sort((a, b) => a.atMs - b.atMs);
      return () => {
        waiting = waiting.filter((other) => other !== entry);
      };
    },
    pending: () => waiting.map(({ atMs }) => atMs - nowMs),
    async advance(ms) {
      const untilMs = nowMs + ms;
      await settle();
      for (let next = waiting[0]; next && next.atMs <= untilMs; next = waiting[0]) {
        waiting.shift();
        nowMs = next.atMs;
        next.callback();
        await settle();
      }
      nowMs = untilMs;
    },
  };
}
