import { ManualClock } from '@escapement/core';

/** Taken as it is when the module loads: a test may fake timers, for its task. */
const nextRound = globalThis.setImmediate;

/** Rounds of the event loop in which what was waiting for the time can go on. */
const ROUNDS = 3;

interface Alarm {
  atMs: number;
  ring: () => void;
}

/** Time that stands still until it is moved, with alarms that ring on the way. */
export class TestTime {
  readonly clock: ManualClock;
  readonly #alarms = new Set<Alarm>();

  constructor(start: Date | string) {
    this.clock = new ManualClock(start);
  }

  /** Rings once, so many milliseconds from now. Returns what calls it off. */
  alarm(afterMs: number, ring: () => void): () => void {
    const alarm = { atMs: this.clock.monotonicMs() + afterMs, ring };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  /**
   * Time passes. Up to the first alarm it does so before this returns; at each alarm, and at the end, whoever waits for it can
   * go on before time passes further.
   */
  async advance(ms: number): Promise<void> {
    const untilMs = this.clock.monotonicMs() + ms;
    for (let next = this.#next(untilMs); next; next = this.#next(untilMs)) {
      this.#alarms.delete(next);
      this.#moveTo(next.atMs);
      next.ring();
      await settled();
    }
    this.#moveTo(untilMs);
    await settled();
  }

  #moveTo(monotonicMs: number): void {
    this.clock.advance(Math.max(0, monotonicMs - this.clock.monotonicMs()));
  }

  #next(untilMs: number): Alarm | undefined {
    let next: Alarm | undefined;
    for (const alarm of this.#alarms) if (alarm.atMs <= untilMs && (!next || alarm.atMs < next.atMs)) next = alarm;
    return next;
  }
}

/** What can go on without time and without I/O has done so. */
export async function settled(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await new Promise<void>((resolve) => nextRound(() => resolve()));
}
