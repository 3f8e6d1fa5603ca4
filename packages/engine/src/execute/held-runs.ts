import type { AbortReason } from '@escapement/core';

/** The runs a worker holds: what its beats list, and what a shutdown or a lost lease aborts. */
export interface HeldRuns {
  add(runId: string, abort: (reason: AbortReason) => void): void;
  remove(runId: string): void;
  ids(): string[];
  readonly size: number;
  abortAll(reason: AbortReason): void;
  abort(runId: string, reason: AbortReason): void;
  /** Resolves when none is held. */
  empty(): Promise<void>;
}

export function createHeldRuns(): HeldRuns {
  const runs = new Map<string, (reason: AbortReason) => void>();
  let waiting: (() => void)[] = [];
  return {
    add: (runId, abort) => void runs.set(runId, abort),
    remove(runId) {
      runs.delete(runId);
      if (runs.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    ids: () => [...runs.keys()],
    get size() {
      return runs.size;
    },
    abortAll(reason) {
      for (const abort of [...runs.values()]) abort(reason);
    },
    abort: (runId, reason) => runs.get(runId)?.(reason),
    empty: () => (runs.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
