import { type Clock, SECOND, systemClock } from '@escapement/core';
import { systemTimer, type Timer } from './timer.ts';

/** The face of everything that runs as long as the process does. */
export interface Service {
  readonly name: string;
  /** Begins to work. Does nothing if it already does. */
  start(): void;
  /** Ends the work; resolves when the pass under way is through. Does nothing if it is stopped. */
  stop(): Promise<void>;
  /** One pass, by hand; waits for a pass under way. Resolves with the milliseconds until the next is due, 0 = more work. */
  runOnce(): Promise<number>;
}

export interface Loop extends Service {
  /**
   * Ends the wait now; called during a pass, another one follows. While the loop backs off after an
   * error it only marks that there is work: a thousand wakes must not become a thousand errors.
   */
  wake(): void;
}

export interface LoopOptions {
  /** Who works, for logs and health. */
  name: string;
  /** One pass. Resolves with the milliseconds until the next one; 0 = more work: goes on once the event loop has turned. */
  runOnce: () => Promise<number>;
  /** Told of each failed pass; `failures` counts those in a row. */
  onError: (error: unknown, pass: { name: string; failures: number; retryInMs: number }) => void;
  /** Told of each good pass, by the loop or by hand. */
  onPass?: (pass: { name: string; tookMs: number; waitMs: number }) => void;
  /** A woken pass begins no sooner than this after the last one ended, so that wakes gather. Milliseconds, default 0. */
  minWaitMs?: number;
  /** Wait after a failed pass; doubles with each in a row. Milliseconds, default 250 to 5,000. */
  backoff?: { minMs: number; maxMs: number };
  /** Share of each wait, 0 to 1, that is cut off at random, so that processes drift apart. Default 0.1. */
  jitter?: number;
  clock?: Clock;
  timer?: Timer;
  /** 0 to 1, for the jitter. */
  random?: () => number;
}

const DEFAULT_BACKOFF = { minMs: 250, maxMs: 5 * SECOND };

/** The one loop of all services: passes follow one another and never overlap; an error backs off and never ends it. */
export function createLoop(options: LoopOptions): Loop {
  const { name, clock = systemClock, timer = systemTimer, random = Math.random, jitter = 0.1, minWaitMs = 0 } = options;
  const backoff = options.backoff ?? DEFAULT_BACKOFF;
  let started = false;
  let woken = false;
  let failures = 0;
  let endedMs = Number.NEGATIVE_INFINITY;
  let turning: Promise<void> | undefined;
  let lastPass: Promise<unknown> = Promise.resolve();
  let cancelWait: (() => void) | undefined;

  async function pass(): Promise<number> {
    const startedMs = clock.monotonicMs();
    const waitMs = await options.runOnce();
    if (!(waitMs >= 0)) throw new TypeError(`a pass of ${name} returned ${waitMs}; it must be milliseconds, 0 or more`);
    call(() => options.onPass?.({ name, tookMs: clock.monotonicMs() - startedMs, waitMs }));
    return waitMs;
  }

  function runOnce(): Promise<number> {
    const mine = lastPass.then(pass);
    lastPass = mine.catch(() => undefined);
    return mine;
  }

  async function turn(): Promise<void> {
    woken = false;
    const waitMs = await runOnce().then(
      (asked) => {
        failures = 0;
        return asked === 0 ? 0 : Math.max(shortened(asked), minWaitMs);
      },
      (error) => {
        failures += 1;
        const retryInMs = shortened(Math.min(backoff.minMs * 2 ** (failures - 1), backoff.maxMs));
        call(() => options.onError(error, { name, failures, retryInMs }));
        return retryInMs;
      },
    );
    turning = undefined;
    endedMs = clock.monotonicMs();
    if (started) wait(woken && failures === 0 ? Math.min(waitMs, minWaitMs) : waitMs);
  }

  function shortened(ms: number): number {
    return Math.ceil(ms * (1 - jitter * random()));
  }

  function wait(ms: number): void {
    cancelWait?.();
    cancelWait = timer.after(ms, () => {
      cancelWait = undefined;
      turning = turn();
    });
  }

  return {
    name,
    start() {
      if (started) return;
      started = true;
      if (!turning) wait(0);
    },
    async stop() {
      started = false;
      cancelWait?.();
      cancelWait = undefined;
      await turning;
      await lastPass;
    },
    runOnce,
    wake() {
      const waiting = cancelWait !== undefined && !woken && failures === 0;
      woken = true;
      if (waiting) wait(Math.max(0, endedMs + minWaitMs - clock.monotonicMs()));
    },
  };
}

/** A listener's own error must not end the loop that tells it. */
function call(listener: () => void): void {
  try {
    listener();
  } catch {
    // There is nobody left to tell.
  }
}
