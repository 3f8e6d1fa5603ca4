import type { Emit } from '@escapement/core';
import type { RunQueue, RunRef } from '@escapement/queue';
import type { DispatchableRun } from '@escapement/store';

export interface PutBackOptions {
  queue: RunQueue;
  databaseNow: () => Date | null;
  emit: Emit;
}

/** Adds the jobs of queued runs, each with the delay that is left. Returns how many the queue took. */
export async function putBack(runs: readonly DispatchableRun[], options: PutBackOptions): Promise<number> {
  if (runs.length === 0) return 0;
  // Not before: a Redis that has just come back may take seconds to answer, and each run would be as much late.
  const now = options.databaseNow();
  if (!now) return 0;
  const results = await options.queue.add(
    runs.map((run) => ({ ...toRef(run), delayMs: run.dueAt.getTime() - now.getTime(), dueMs: run.dueAt.getTime() })),
  );
  const added = results.filter((result) => result.ok).length;
  const failed = results.find((result) => !result.ok);
  if (failed && !failed.ok) options.emit({ event: 'dispatch_failed', runs: runs.length - added, error: failed.error });
  return added;
}

export function toRef(run: DispatchableRun): RunRef {
  return { queue: run.queue, runId: run.id, dispatch: run.dispatch };
}
