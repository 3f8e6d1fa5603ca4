import { keyOn, newRunId } from '@escapement/core';
import { awaitedUntil } from '@escapement/core/plan';
import type { DueTask, PlannedRun } from '@escapement/store';

type RunOnTask = Pick<DueTask, 'workers' | 'rules' | 'pool'>;

/**
 * The rows of an occurrence of a task that runs on every worker: one of each of them. What is skipped or missed before any worker could
 * have it is one row for all.
 */
export function rowsOnWorkers(row: PlannedRun, task: RunOnTask, next: (after: Date) => Date | null): PlannedRun[] {
  if (row.state !== 'planned' && row.state !== 'held') return [row];
  const { workers, pool, rules } = task;
  if (!workers || workers.length === 0)
    return [{ ...row, origin: 'schedule', state: 'missed', reason: nobodyThere(pool), misfireAt: null }];
  return workers.map((worker) => ({
    ...row,
    id: newRunId(row.scheduledFor),
    key: keyOn(row.key, worker),
    worker,
    // What is in time becomes a misfire, and is judged then.
    ...(row.origin === 'catch_up' && row.state === 'planned'
      ? { startBy: awaitedUntil(row.scheduledFor, rules.catchUp, periodAfter(row.scheduledFor, next)) }
      : {}),
  }));
}

function nobodyThere(pool: string): string {
  return `it runs on every worker, and the pool "${pool}" had none that could run it`;
}

function periodAfter(at: Date, next: (after: Date) => Date | null): number | null {
  const after = next(at);
  return after ? after.getTime() - at.getTime() : null;
}
