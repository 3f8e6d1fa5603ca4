import type { RunState } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

/** A run that came to an end by itself: it succeeded, failed, timed out or was quarantined. */
export interface LatestEnd {
  id: string;
  scheduledFor: Date;
  state: RunState;
  finishedAt: Date;
}

/** So many of the latest runs are always looked through. */
const LEAST = 100;
/** And so many where more than the last end is wanted: ends of a task that has most of its runs skipped lie far apart. */
const MOST = 5000;

/**
 * Of each task its latest ends, the last one first: of the 100 runs that were due last, and where these do not have as many as are `wanted`, of the
 * 5,000 that were due last. Where none of these came to an end by itself, as while a long run has all others skipped: the last one of three days.
 */
export async function latestEnds(
  db: Database,
  tasks: readonly { id: string; wanted: number }[],
): Promise<ReadonlyMap<string, LatestEnd[]>> {
  const rows = await query<LatestEnd & { taskId: string; [column: string]: unknown }>(
    db.pool,
    'latest_ends',
    LATEST_ENDS,
    [db.namespace, tasks.map(({ id }) => id), tasks.map(({ wanted }) => wanted)],
  );
  const byTask = new Map<string, LatestEnd[]>();
  for (const { taskId, ...end } of rows) byTask.set(taskId, [...(byTask.get(taskId) ?? []), end]);
  return byTask;
}

const IS_END = `r.state IN ('succeeded', 'failed', 'timed_out', 'quarantined')`;

// `latest` is read row by row, and no further than `ends` asks for.
const LATEST_ENDS = `
SELECT e.* FROM unnest($2::uuid[], $3::integer[]) AS i(task_id, wanted) CROSS JOIN LATERAL (
  WITH latest AS MATERIALIZED (
    SELECT r.task_id, r.id, r.scheduled_for, r.state, r.finished_at, r.namespace FROM any_run r WHERE r.task_id = i.task_id ORDER BY r.scheduled_for DESC
    LIMIT CASE WHEN i.wanted > 1 THEN ${MOST} ELSE ${LEAST} END
  ), ends AS MATERIALIZED (
    SELECT r.* FROM latest r WHERE ${IS_END}
    LIMIT greatest(i.wanted, (SELECT count(*) FROM (SELECT * FROM latest LIMIT ${LEAST}) r WHERE ${IS_END}))
  )
  SELECT r.task_id AS "taskId", r.id, r.scheduled_for AS "scheduledFor", r.state, r.finished_at AS "finishedAt" FROM (
    SELECT * FROM ends UNION ALL (
      SELECT r.task_id, r.id, r.scheduled_for, r.state, r.finished_at, r.namespace FROM any_run r
      WHERE NOT EXISTS (SELECT FROM ends) AND r.task_id = i.task_id AND r.scheduled_for >= now() - interval '3 days' AND ${IS_END}
      ORDER BY r.scheduled_for DESC LIMIT 1
    )
  ) r WHERE r.namespace = $1 ORDER BY r.finished_at DESC, r.id DESC
) e`;
