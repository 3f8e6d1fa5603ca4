import { SECOND } from '@escapement/core';

/** A worker with free places asks Redis every two seconds. */
const SILENT_MS = 15 * SECOND;

/**
 * Finds workers that have free places and yet hear nothing from Redis: the last resort against a fetch that hangs
 * for ever. Silence must be seen in two looks in a row, since right after a blocked event loop all seem silent.
 */
export function createConnectionWatch(silentMs = SILENT_MS) {
  let suspects = new Set<string>();
  return {
    /** The queues whose worker is to be replaced. Those left out (no free place, paused) are not suspected. */
    look(workers: readonly { queue: string; silentMs: number }[]): string[] {
      const silent = workers.filter((worker) => worker.silentMs >= silentMs).map(({ queue }) => queue);
      const certain = silent.filter((queue) => suspects.has(queue));
      suspects = new Set(silent.filter((queue) => !certain.includes(queue)));
      return certain;
    },
  };
}
