import type { RunError, RunState } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { conditionsOf, IDS, LATEST_FIRST, type RunFilter } from '../runs/run-conditions.ts';

/** A run that has failed for good, with what says why. */
export interface FailedRun {
  id: string;
  taskName: string;
  state: RunState;
  reason: string | null;
  error: Pick<RunError, 'name' | 'message' | 'stack'> | null;
  finishedAt: Date;
}

/** Which failures: of these tasks, of this time. */
export type FailureFilter = Pick<RunFilter, 'taskName' | 'labels' | 'since' | 'until' | 'before' | 'limit'>;

/** Characters of a stack that are looked at: the first own place is near its top. */
const STACK = 4000;
const MESSAGE = 2000;

/**
 * Runs that have failed for good, the latest scheduled first; at most so many. Each state of them has an index. Planned anew each time, as
 * lists by error are.
 */
export async function listFailures(db: Database, filter: FailureFilter): Promise<FailedRun[]> {
  const { notByTask, values } = conditionsOf(db, filter);
  return await query<FailedRun & { [column: string]: unknown }>(
    db.pool,
    '',
    `WITH found AS MATERIALIZED (
       SELECT s.* FROM unnest('{failed, timed_out, quarantined}'::text[]) AS w(state) CROSS JOIN LATERAL (
         ${IDS} ${notByTask} AND r.phase = w.state AND r.phase IN ('failed', 'timed_out', 'quarantined') ${LATEST_FIRST} LIMIT $2) s
     ), latest AS MATERIALIZED (SELECT id, scheduled_for FROM found ORDER BY scheduled_for DESC, id DESC LIMIT $2)
     SELECT r.id, t.name AS "taskName", r.state, r.reason, r.finished_at AS "finishedAt", CASE WHEN r.error IS NOT NULL THEN jsonb_strip_nulls(jsonb_build_object(
       'name', r.error->>'name', 'message', left(r.error->>'message', ${MESSAGE}), 'stack', left(r.error->>'stack', ${STACK}))) END AS error
     FROM latest l JOIN run r ON r.id = ANY (ARRAY[l.id]) AND r.scheduled_for = l.scheduled_for JOIN task t ON t.id = r.task_id
     ORDER BY r.scheduled_for DESC, r.id DESC`,
    values,
  );
}
