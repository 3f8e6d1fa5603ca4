import type { Clock } from '@escapement/core';

/** Taken as it is when the module loads: a test that fakes timers means its own, and would stop each box for ever. */
const nextRound = globalThis.setImmediate;

/** Longest time without a break, in milliseconds: below what a heartbeat or a person would notice. */
const EVERY_MS = 10;
/** Most turns without one, for a clock that stands still. */
const EVERY_TURNS = 256;

/** When a loop whose turns need not be asynchronous lets the event loop go round. */
export class LoopBreaks {
  readonly #clock: Clock;
  #lastMs: number;
  #turns = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastMs = clock.monotonicMs();
  }

  /** Asked once a turn. */
  isDue(nowMs: number): boolean {
    this.#turns += 1;
    return this.#turns >= EVERY_TURNS || nowMs - this.#lastMs >= EVERY_MS;
  }

  /** Timers, messages of other processes and I/O have their go. */
  async take(): Promise<void> {
    await new Promise<void>((resolve) => nextRound(() => resolve()));
    this.#turns = 0;
    this.#lastMs = this.#clock.monotonicMs();
  }
}
