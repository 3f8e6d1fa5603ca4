import { type Clock, systemClock } from '@escapement/core';

/** The time of a fleet under test: it goes on normally, from another date, and can be moved forward. */
export class FleetClock implements Clock {
  /** By how much its date is ahead of the machine's, in milliseconds; less than 0: behind. */
  #aheadMs: number;
  #skippedMs = 0;

  constructor(start: Date = systemClock.now()) {
    this.#aheadMs = Math.round(start.getTime() - systemClock.now().getTime());
  }

  get aheadMs(): number {
    return this.#aheadMs;
  }

  now(): Date {
    return new Date(systemClock.now().getTime() + this.#aheadMs);
  }

  /** Goes forward with the date: what carries Postgres' time on by spans must not fall behind. */
  monotonicMs(): number {
    return systemClock.monotonicMs() + this.#skippedMs;
  }

  /** Whole milliseconds. */
  putForward(ms: number): void {
    this.#aheadMs += ms;
    this.#skippedMs += ms;
  }
}
