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
    /** The pools whose worker is to be replaced. Those left out (no free place, paused) are not suspected. */
    look(workers: readonly { pool: string; silentMs: number }[]): string[] {
      const silent = workers.filter((worker) => worker.silentMs >= silentMs).map(({ pool }) => pool);
      const certain = silent.filter((pool) => suspects.has(pool));
      suspects = new Set(silent.filter((pool) => !certain.includes(pool)));
      return certain;
    },
  };
}
