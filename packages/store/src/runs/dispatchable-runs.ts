import { type Database, query } from '../database.ts';
import type { DispatchableRun } from './plan-runs.ts';

/**
 * Runs due within the horizon that the queue has not been told of. One that a tick should have brought to a worker
 * counts only once it is overdue.
 */
export async function dispatchableRuns(
  db: Database,
  options: { horizonMs: number; overdueMs: number; limit: number },
): Promise<DispatchableRun[]> {
  const rows = await query<{ id: string; scheduled_for: Date; pool: string; due_at: Date; dispatch: number }>(
    db.hot,
    'dispatchable_runs',
    DISPATCHABLE_RUNS,
    [db.namespace, options.horizonMs, options.overdueMs, options.limit],
  );
  return rows.map((row) => ({
    id: row.id,
    scheduledFor: row.scheduled_for,
    pool: row.pool,
    dueAt: row.due_at,
    dispatch: row.dispatch,
  }));
}

// Two branches, each with an index of its own: the rows that wait for their ticks are many, and are not read.
const DISPATCHABLE_RUNS = `
(SELECT id, scheduled_for, pool, due_at, dispatch FROM run
 WHERE namespace = $1 AND (state = 'retrying' OR state = 'planned' AND origin <> 'schedule')
   AND due_at <= now() + $2 * interval '1 ms'
 ORDER BY due_at LIMIT $4)
UNION ALL
(SELECT id, scheduled_for, pool, due_at, dispatch FROM run
 WHERE namespace = $1 AND state IN ('planned', 'retrying') AND state = 'planned' AND origin = 'schedule'
   AND due_at <= now() - $3 * interval '1 ms'
 ORDER BY due_at LIMIT $4)
ORDER BY due_at LIMIT $4`;
