import { type Database, query } from '../postgres/database.ts';
import type { DispatchableRun } from './plan-runs.ts';

/**
 * Runs due within the horizon that the queue has not been told of. One that a repeat should have brought to a worker
 * counts only once its repeat is late: by `repeatGraceMs`, or a misfire. The next ones of its task then count as well: until its
 * repeats come again, none of them is to be late for a lost repeat.
 */
export async function dispatchableRuns(
  db: Database,
  options: { horizonMs: number; repeatGraceMs: number; limit: number },
): Promise<DispatchableRun[]> {
  const rows = await query<{
    id: string;
    scheduled_for: Date;
    queue: string;
    due_at: Date;
    dispatch: number;
    traceparent: string | null;
  }>(db.hot, 'dispatchable_runs', DISPATCHABLE_RUNS, [
    db.namespace,
    options.horizonMs,
    options.repeatGraceMs,
    options.limit,
    db.openFrom.runs,
  ]);
  return rows.map((row) => ({
    id: row.id,
    scheduledFor: row.scheduled_for,
    queue: row.queue,
    dueAt: row.due_at,
    dispatch: row.dispatch,
    traceparent: row.traceparent,
  }));
}

/** A repeat that is on its way is not late, however dense the schedule is. */
const ON_ITS_WAY = `interval '250 ms'`;

/** Tasks whose next rows a pass takes along, and rows of each: where all repeats are late more work would not help. */
const RESCUED = 50;

// Three branches, each with an index of its own: the rows that wait for their repeats are many, and are not read.
const DISPATCHABLE_RUNS = `
WITH late AS MATERIALIZED (
  SELECT id, scheduled_for, queue_of(pool, need) AS queue, due_at, dispatch, traceparent, task_id FROM run
  WHERE namespace = $1 AND phase = 'repeating'
    AND due_at >= $5 AND due_at <= now() - ${ON_ITS_WAY} AND (due_at <= now() - $3 * interval '1 ms' OR misfire_at < now())
  ORDER BY due_at LIMIT $4
)
(SELECT id, scheduled_for, queue_of(pool, need) AS queue, due_at, dispatch, traceparent FROM run
 WHERE namespace = $1 AND phase = 'untold'
   AND due_at >= $5 AND due_at <= now() + $2 * interval '1 ms'
 ORDER BY due_at LIMIT $4)
UNION ALL
(SELECT id, scheduled_for, queue, due_at, dispatch, traceparent FROM late)
UNION ALL
(SELECT n.* FROM (SELECT task_id, max(scheduled_for) AS last FROM late GROUP BY task_id LIMIT ${RESCUED}) o
 CROSS JOIN LATERAL (
   SELECT r.id, r.scheduled_for, queue_of(r.pool, r.need) AS queue, r.due_at, r.dispatch, r.traceparent FROM run r
   WHERE r.task_id = o.task_id AND r.scheduled_for > o.last AND r.scheduled_for <= now() + $2 * interval '1 ms'
     AND r.state = 'planned' AND r.origin = 'schedule' AND r.due_at <= now() + $2 * interval '1 ms'
   ORDER BY r.scheduled_for LIMIT ${RESCUED}) n)
ORDER BY due_at LIMIT $4`;
