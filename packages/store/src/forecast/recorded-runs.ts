import type { OverlapPolicy } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

/** A run that has ended, as it was. */
export interface RunAsItWas {
  taskId: string;
  dueAt: Date;
  tookMs: number;
  overlap: OverlapPolicy;
}

/** Runs of a task, and of those that have its key, that were due in a time and have ended: the latest, at most so many, the first due first. */
export async function recordedRuns(
  db: Database,
  { taskId, from, to, limit }: { taskId: string; from: Date; to: Date; limit: number },
): Promise<RunAsItWas[]> {
  const rows = await query<RunAsItWas & { [column: string]: unknown }>(db.pool, 'recorded_runs', RECORDED, [
    db.namespace,
    taskId,
    from.toISOString(),
    to.toISOString(),
    limit,
  ]);
  return rows.reverse();
}

// A key may be a template over the payload: that of the latest run counts.
const RECORDED = `
WITH own AS MATERIALIZED (
  SELECT r.key FROM any_run r WHERE r.namespace = $1 AND r.task_id = $2 AND r.scheduled_for >= $3 AND r.scheduled_for < $4
  ORDER BY r.scheduled_for DESC LIMIT 1
)
SELECT r.task_id AS "taskId", r.due_at AS "dueAt", round(extract(epoch FROM r.finished_at - r.started_at) * 1000)::float8 AS "tookMs",
  coalesce(o.definition->'overlap', jsonb_build_object('policy', o.overlap)) AS overlap
FROM own JOIN task t ON t.namespace = $1 AND t.id = $2
JOIN task o ON o.namespace = $1 AND (o.id = t.id OR o.key_template IN (t.key_template, own.key))
JOIN any_run r ON r.task_id = o.id AND r.scheduled_for >= $3 AND r.scheduled_for < $4 AND r.finished_at IS NOT NULL AND r.started_at IS NOT NULL
  AND (o.id = t.id OR r.key = own.key)
ORDER BY r.due_at DESC, r.id DESC LIMIT $5`;
