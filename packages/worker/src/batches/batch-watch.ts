import { advanceBatch, type Enqueue } from '@escapement/operations';
import type { Database } from '@escapement/store';

export interface BatchWatch {
  /** A child of the batch has ended, or it has its items: goes on with it, once for all that come meanwhile. */
  advance(batchId: string): void;
  /** Resolves when a child of the batch has ended in this process, after `ms`, or when `signal` is aborted. */
  moved(batchId: string, ms: number, signal: AbortSignal): Promise<void>;
}

export interface BatchWatchOptions {
  db: Database;
  enqueue: Enqueue;
  onError: (error: unknown) => void;
}

/** Goes on with batches as soon as this process ends a child of theirs. What fails here a scheduler does. */
export function createBatchWatch({ db, enqueue, onError }: BatchWatchOptions): BatchWatch {
  /** Those under way; true: something has come meanwhile. */
  const underWay = new Map<string, boolean>();
  const waiting = new Map<string, Set<() => void>>();

  async function goOn(batchId: string): Promise<void> {
    try {
      let more = true;
      while (more || underWay.get(batchId)) {
        underWay.set(batchId, false);
        more = await advanceBatch(db, batchId, enqueue);
      }
    } catch (error) {
      onError(error);
    } finally {
      underWay.delete(batchId);
    }
  }

  return {
    advance(batchId) {
      for (const wake of waiting.get(batchId) ?? []) wake();
      const idle = !underWay.has(batchId);
      underWay.set(batchId, true);
      if (idle) void goOn(batchId);
    },
    moved(batchId, ms, signal) {
      return new Promise((resolve) => {
        const mine = waiting.get(batchId) ?? new Set();
        waiting.set(batchId, mine);
        const timer = setTimeout(wake, ms);
        function wake(): void {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          mine.delete(wake);
          if (mine.size === 0 && waiting.get(batchId) === mine) waiting.delete(batchId);
          resolve();
        }
        mine.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    },
  };
}
