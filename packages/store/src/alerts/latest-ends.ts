import type { RunState } from '@escapement/core';
import { type Database, query } from '../database.ts';

/** A run that came to an end by itself: it succeeded, failed, timed out or was quarantined. */
export interface LatestEnd {
  id: string;
  scheduledFor: Date;
  state: RunState;
  finishedAt: Date;
}

/** Of each task its latest ends, the last one first: of the 100 runs that were due last. */
export async function latestEnds(db: Database, taskIds: readonly string[]): Promise<ReadonlyMap<string, LatestEnd[]>> {
  const rows = await query<LatestEnd & { taskId: string; [column: string]: unknown }>(
    db.pool,
    'latest_ends',
    LATEST_ENDS,
    [db.namespace, taskIds],
  );
  const byTask = new Map<string, LatestEnd[]>();
  for (const { taskId, ...end } of rows) byTask.set(taskId, [...(byTask.get(taskId) ?? []), end]);
  return byTask;
}

const LATEST_ENDS = `
SELECT e.* FROM unnest($2::uuid[]) AS i(task_id) CROSS JOIN LATERAL (
  SELECT r.task_id AS "taskId", r.id, r.scheduled_for AS "scheduledFor", r.state, r.finished_at AS "finishedAt" FROM (
    SELECT * FROM run WHERE task_id = i.task_id ORDER BY scheduled_for DESC LIMIT 100
  ) r WHERE r.namespace = $1 AND r.state IN ('succeeded', 'failed', 'timed_out', 'quarantined')
  ORDER BY r.finished_at DESC, r.id DESC
) e`;
