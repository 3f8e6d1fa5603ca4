import { type Clock, MINUTE, systemClock } from '@escapement/core';
import { createDueHeap } from './due-heap.ts';

/** Calls back later; returns what cancels it. */
export type After = (ms: number, callback: () => void) => () => void;

export interface PromoterOptions<Item> {
  /** Starts the jobs now. Must not throw; its failures do not matter. */
  promote: (due: Item[]) => void;
  /** Jobs due later than this are left to BullMQ alone. Default 1 min. */
  horizonMs?: number;
  /** More than this are left to BullMQ alone. Default 100,000 (about 15 MB). */
  maxHeld?: number;
  clock?: Clock;
  after?: After;
}

/**
 * Starts delayed jobs on the dot. BullMQ's workers sleep in a blocking command that Redis wakes on its
 * own timer only, ten times a second, so that jobs start up to 100 ms late; here the process that added
 * them says "now". If it dies, BullMQ starts them in its own time.
 */
export interface Promoter<Item> {
  readonly held: number;
  /** `dueMs` is on the clock's monotonic scale. */
  hold(dueMs: number, item: Item): void;
  stop(): void;
}

/** One pipeline takes at most this many, so that other commands get their turn. */
const BATCH = 500;

const systemAfter: After = (ms, callback) => {
  const timeout = setTimeout(callback, ms);
  timeout.unref();
  return () => clearTimeout(timeout);
};

export function createPromoter<Item>(options: PromoterOptions<Item>): Promoter<Item> {
  const { promote, horizonMs = MINUTE, maxHeld = 100_000, clock = systemClock, after = systemAfter } = options;
  const heap = createDueHeap<Item>();
  let armed: { dueMs: number; cancel: () => void } | undefined;

  function arm(): void {
    const dueMs = heap.nextDueMs();
    if (dueMs === undefined || (armed && armed.dueMs <= dueMs)) return;
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
    if (due.length > 0) promote(due);
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
