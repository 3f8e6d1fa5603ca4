import { SECOND } from '@escapement/core';
import type { Enqueue } from '@escapement/operations';
import { createLoop, type Loop, type OnError } from '@escapement/service';
import { type Database, wakeRated } from '@escapement/store';

/** While nobody waits the keeper only looks for hints that were lost. */
const IDLE_MS = 5 * SECOND;
/** How soon a process whose clock is off asks again whether it may. */
const OFF_MS = 500;
/** Tokens of a high rate come back in heaps: so many passes a second at most. */
const MIN_WAIT_MS = 5;

export interface RateKeeperOptions {
  db: Database;
  enqueue: Enqueue;
  /** Whether this process' clock may be trusted with work; else another replica has to. */
  mayWork: () => boolean;
  onError: OnError;
}

/**
 * Wakes runs that wait for a token of a rate, their task's or their pool's, when it comes back. Every scheduler does: what one has woken the
 * others leave alone. A hint says that somebody has begun to wait.
 */
export function createRateKeeper({ db, enqueue, mayWork, onError }: RateKeeperOptions): Loop {
  async function runOnce(): Promise<number> {
    if (!mayWork()) return OFF_MS;
    const { woken, nextMs } = await wakeRated(db);
    await enqueue(woken);
    return Math.min(nextMs ?? IDLE_MS, IDLE_MS);
  }

  return createLoop({ name: 'rate keeper', runOnce, onError, minWaitMs: MIN_WAIT_MS, jitter: 0 });
}
