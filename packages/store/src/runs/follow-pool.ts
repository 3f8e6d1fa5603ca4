import { type Database, query } from '../postgres/database.ts';
import { isInOtherPool, ofEachOpen } from './admission.ts';

/** A run whose task has gone to another pool. */
export interface RunBehind {
  id: string;
  scheduled_for: Date;
}

/** Open runs of a task that are in another pool than the task, and that no worker runs. */
export async function findRunsBehind(db: Database, task: { name: string; limit: number }): Promise<RunBehind[]> {
  return await query<RunBehind & { [column: string]: unknown }>(db.pool, 'runs_behind', RUNS_BEHIND, [
    db.namespace,
    task.name,
    task.limit,
  ]);
}

const RUNS_BEHIND = `
SELECT o.id, o.scheduled_for FROM task t CROSS JOIN LATERAL (
  ${ofEachOpen(
    (isOfPhase) => `SELECT r.id, r.scheduled_for FROM run r
    WHERE r.namespace = $1 AND ${isOfPhase} AND r.task_id = t.id AND r.state <> 'running' AND ${isInOtherPool('r', 't')}`,
  )}
) o WHERE t.namespace = $1 AND t.name = $2 LIMIT $3`;

/**
 * Sends these runs to the pool that their task has now. One that is queued gets the next dispatch: its job in the queue of the old pool begins
 * nothing, the reconciler adds the new one. Runs that others have locked, or that run by now, stay as they are. Returns how many were sent.
 */
export async function followPool(db: Database, runs: readonly RunBehind[]): Promise<number> {
  if (runs.length === 0) return 0;
  const rows = await query(db.hot, 'follow_pool', FOLLOW_POOL, [
    db.namespace,
    runs.map(({ id }) => id),
    runs.map((run) => run.scheduled_for.toISOString()),
  ]);
  return rows.length;
}

const FOLLOW_POOL = `
WITH picked AS MATERIALIZED (
  SELECT r.id, r.scheduled_for, t.pool FROM unnest($2::uuid[], $3::timestamptz[]) AS i(id, scheduled_for)
  JOIN run r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for
  CROSS JOIN LATERAL (SELECT t.* FROM task t WHERE t.id = r.task_id OFFSET 0) t
  WHERE r.namespace = $1 AND r.finished_at IS NULL AND r.state NOT IN ('running', 'unknown') AND ${isInOtherPool('r', 't')}
  ORDER BY r.namespace, r.key, r.id FOR UPDATE OF r SKIP LOCKED
)
UPDATE run r SET pool = p.pool, dispatch = r.dispatch + (r.state = 'queued')::integer
FROM picked p WHERE r.id = ANY (ARRAY[p.id]) AND r.scheduled_for = p.scheduled_for RETURNING r.id`;
