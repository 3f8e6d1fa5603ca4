import { createLoop, type OnError } from '@escapement/service';
import { type Database, type DispatchableRun, wakeRated } from '@escapement/store';

/** A scheduler wakes them on the dot; this is for when none is there. */
const BEHIND_MS = 30;
const NOTHING_MS = 3_600_000;

export interface RateWatch {
  /** A run waits for a token of a rate: from now on somebody looks when it comes. */
  watch(): void;
  stop(): Promise<void>;
}

export interface RateWatchOptions {
  db: Database;
  wake: (runs: readonly DispatchableRun[]) => Promise<void>;
  onError: OnError;
}

/**
 * Wakes runs that wait for a token of a rate, their task's or their pool's, just after the schedulers, so that they start on time while no
 * scheduler is there. Sleeps until this worker has put a run into that wait queue, and again once it is empty.
 */
export function createRateWatch({ db, wake, onError }: RateWatchOptions): RateWatch {
  let watching = false;

  async function runOnce(): Promise<number> {
    const { woken, nextMs } = await wakeRated(db);
    await wake(woken);
    return nextMs === null ? NOTHING_MS : nextMs + BEHIND_MS;
  }

  const loop = createLoop({ name: 'rate watch', runOnce, onError, minWaitMs: BEHIND_MS, jitter: 0 });
  return {
    watch() {
      if (watching) loop.wake();
      else loop.start();
      watching = true;
    },
    stop: () => loop.stop(),
  };
}
