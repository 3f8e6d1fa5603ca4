import type { Clock } from '@escapement/core';
import { createLoop, type Service } from '@escapement/service';
import { cancelRequests, type Database, type HintListener, listenForCancel } from '@escapement/store';
import type { ActiveRuns } from './active-runs.ts';

/** Time between two looks, for where no hint arrives. */
const LOOK_MS = 2000;

export interface CancelWatchOptions {
  db: Database;
  active: ActiveRuns;
  clock: Clock;
  onError: (error: unknown) => void;
}

/**
 * Stops the active runs of this worker that somebody wants cancelled. A hint by Postgres makes it immediate; without one
 * it takes up to two seconds. Apart from the heartbeats, whose number and spacing tell lost runs from active ones.
 */
export function createCancelWatch({ db, active, clock, onError }: CancelWatchOptions): Service {
  async function runOnce(): Promise<number> {
    const ids = active.ids();
    if (ids.length === 0) return LOOK_MS;
    for (const [runId, request] of await cancelRequests(db, ids)) active.cancel(runId, request);
    return LOOK_MS;
  }

  const loop = createLoop({ name: 'cancel-watch', runOnce, onError, clock });
  let listener: HintListener | undefined;
  return {
    ...loop,
    start() {
      loop.start();
      listener ??= listenForCancel(db, loop.wake);
    },
    async stop() {
      await Promise.all([listener?.stop(), loop.stop()]);
      listener = undefined;
    },
  };
}
