import type { Clock } from './clock.ts';

/** A clock that stands still until told. */
export class ManualClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;

  /** @param start The first instant; an ISO string or a Date. Default 2026-01-01T00:00:00Z. */
  constructor(start: Date | string = '2026-01-01T00:00:00Z') {
    this.#wallMs = instantMs(start);
  }

  now(): Date {
    return new Date(this.#wallMs);
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** Time passes. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new Error(`time does not pass by ${ms} ms; use set() for a step back`);
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }

  /** Somebody sets the wall clock, forth or back; spans are not touched. */
  set(instant: Date | string): void {
    this.#wallMs = instantMs(instant);
  }
}

function instantMs(instant: Date | string): number {
  const ms = new Date(instant).getTime();
  if (Number.isNaN(ms)) throw new Error(`not an instant: ${instant}`);
  return ms;
}
