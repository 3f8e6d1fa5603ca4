import { EscapementError, type RunState } from '@escapement/core';
import type { LabelFilter } from '@escapement/core/rights';
import { type Database, listRuns, type RunView } from '@escapement/store';
import { requireTask } from '../tasks/require-task.ts';

/** States of runs that have begun, or may have. */
const BEGUN: readonly RunState[] = [
  'running',
  'retrying',
  'waiting',
  'unknown',
  'succeeded',
  'failed',
  'timed_out',
  'quarantined',
  'cancelled',
];

/** Cancelled and waiting runs that have not begun may come before one that has. */
const LOOKED_AT = 100;

/** Of a task, or of all that have these labels, the run that was scheduled last of those that have begun. Throws `unknown_task`, `no_run_begun`. */
export async function lastRun(
  db: Database,
  { taskName, labels }: { taskName?: string | undefined; labels?: LabelFilter | undefined },
): Promise<RunView> {
  const filter = {
    ...{ states: BEGUN, limit: LOOKED_AT },
    ...(taskName === undefined ? {} : { taskName }),
    ...(labels ? { labels } : {}),
  };
  const run = (await listRuns(db, filter)).find(({ attempt }) => attempt > 0);
  if (run) return run;
  if (taskName !== undefined) await requireTask(db, taskName);
  throw new EscapementError(
    'no_run_begun',
    taskName === undefined ? 'no run has begun yet' : `no run of "${taskName}" has begun yet`,
    {
      fix: 'see what is due: `escapement runs list --planned`',
    },
  );
}
