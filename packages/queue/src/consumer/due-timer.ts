import { type Clock, MINUTE, systemClock } from '@escapement/core';
import { createDueHeap } from './due-heap.ts';

/** Calls back later; returns what cancels it. */
export type After = (ms: number, callback: () => void) => () => void;

export interface DueTimerOptions<Item> {
  /** Is given what is due now. Must not throw. */
  onDue: (due: Item[]) => void;
  /** What is due later than this is not held. Default 1 min. */
  horizonMs?: number;
  /** No more than this are held. Default 100,000 (about 15 MB). */
  maxHeld?: number;
  /** How long it rests after so many: what becomes due meanwhile comes together. Milliseconds. Default 0. */
  restMs?: (count: number) => number;
  clock?: Clock;
  after?: After;
}

/** Calls back for each thing when it is due, never before, with one timer for all. */
export interface DueTimer<Item> {
  readonly held: number;
  /** `dueMs` is on the clock's monotonic scale. What is beyond the horizon, or one too many, is not held. */
  hold(dueMs: number, item: Item): void;
  stop(): void;
}

/** Called back for at most this many at once, so that others get their turn. */
const BATCH = 500;

const systemAfter: After = (ms, callback) => {
  const timeout = setTimeout(callback, ms);
  timeout.unref();
  return () => clearTimeout(timeout);
};

export function createDueTimer<Item>(options: DueTimerOptions<Item>): DueTimer<Item> {
  const { onDue, horizonMs = MINUTE, maxHeld = 100_000, restMs, clock = systemClock, after = systemAfter } = options;
  const heap = createDueHeap<Item>();
  let armed: { dueMs: number; cancel: () => void } | undefined;
  let restUntilMs = Number.NEGATIVE_INFINITY;

  function arm(): void {
    const nextMs = heap.nextDueMs();
    if (nextMs === undefined) return;
    const dueMs = Math.max(nextMs, restUntilMs);
    if (armed && armed.dueMs <= dueMs) return;
    armed?.cancel();
    // Rounded up, and looked at again in `fire`: a timer may ring a fraction of a millisecond early.
    const waitMs = Math.max(0, Math.ceil(dueMs - clock.monotonicMs()));
    armed = { dueMs, cancel: after(waitMs, fire) };
  }

  function fire(): void {
    armed = undefined;
    const due: Item[] = [];
    const nowMs = clock.monotonicMs();
    while (due.length < BATCH) {
      const item = heap.popDue(nowMs);
      if (item === undefined) break;
      due.push(item);
    }
    if (due.length > 0) onDue(due);
    // What is more than a batch is late already.
    restUntilMs = restMs && due.length < BATCH ? nowMs + restMs(due.length) : nowMs;
    arm();
  }

  return {
    get held() {
      return heap.size;
    },
    hold(dueMs, item) {
      if (heap.size >= maxHeld || dueMs - clock.monotonicMs() > horizonMs) return;
      heap.push(dueMs, item);
      arm();
    },
    stop() {
      armed?.cancel();
      armed = undefined;
      heap.clear();
    },
  };
}
