import { type Database, query } from '../database.ts';
import type { DispatchableRun } from './plan-runs.ts';

/** Runs due within the horizon that the queue has not been told of. */
export async function dispatchableRuns(
  db: Database,
  options: { horizonMs: number; limit: number },
): Promise<DispatchableRun[]> {
  const rows = await query<{ id: string; scheduled_for: Date; pool: string; due_at: Date; dispatch: number }>(
    db.hot,
    'dispatchable_runs',
    `SELECT id, scheduled_for, pool, due_at, dispatch FROM run
     WHERE namespace = $1 AND state IN ('planned', 'retrying') AND due_at <= now() + $2 * interval '1 ms'
     ORDER BY due_at LIMIT $3`,
    [db.namespace, options.horizonMs, options.limit],
  );
  return rows.map((row) => ({
    id: row.id,
    scheduledFor: row.scheduled_for,
    pool: row.pool,
    dueAt: row.due_at,
    dispatch: row.dispatch,
  }));
}
