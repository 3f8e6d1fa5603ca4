import { type LabelSelector, RESOLVED, type RunError, type RunState } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { meetsLabels, toTerms } from './task-labels.ts';

/** How the runs of a task went. */
export interface TaskStats {
  name: string;
  /** Occurrences and runs in all, whatever became of them. */
  count: number;
  succeeded: number;
  /** Failed, timed out or quarantined. */
  failed: number;
  /** Skipped, missed, superseded or cancelled. */
  notRun: number;
  /** Not ended yet. */
  open: number;
  /** Milliseconds from start to end of the runs that succeeded or failed, but for those whose end a person told; null: there is none. */
  p50Ms: number | null;
  p95Ms: number | null;
  lastError: { runId: string; state: RunState; at: Date; reason: string | null; error: RunError | null } | null;
}

interface StatsRow {
  name: string;
  count: number;
  succeeded: number;
  failed: number;
  not_run: number;
  open: number;
  p50_ms: number | null;
  p95_ms: number | null;
  last_error: { id: string; state: RunState; at: string; reason: string | null; error: RunError | null } | null;
}

export interface StatsQuestion {
  /** Default: all. */
  name?: string | undefined;
  labels?: LabelSelector | undefined;
  since: Date;
}

/** Counts the runs scheduled since an instant: of one task, of those with labels, or of all; by name. */
export async function taskStats(db: Database, { name, labels, since }: StatsQuestion): Promise<TaskStats[]> {
  const rows = await query<StatsRow>(db.pool, 'task_stats', TASK_STATS, [
    db.namespace,
    since.toISOString(),
    name ?? null,
    toTerms(labels),
  ]);
  return rows.map((row) => ({
    name: row.name,
    count: row.count,
    succeeded: row.succeeded,
    failed: row.failed,
    notRun: row.not_run,
    open: row.open,
    p50Ms: row.p50_ms,
    p95Ms: row.p95_ms,
    lastError: row.last_error && {
      runId: row.last_error.id,
      state: row.last_error.state,
      at: new Date(row.last_error.at),
      reason: row.last_error.reason,
      error: row.last_error.error,
    },
  }));
}

const FAILED = `('failed', 'timed_out', 'quarantined')`;

// A row may stand for a stretch of occurrences.
const TASK_STATS = `
SELECT t.name, s.count, s.succeeded, s.failed, s.not_run, s.open, s.p50_ms, s.p95_ms, e.last_error
FROM task t
CROSS JOIN LATERAL (
  SELECT coalesce(sum(r.occurrences), 0)::float8 AS count,
    count(*) FILTER (WHERE r.state = 'succeeded')::float8 AS succeeded,
    count(*) FILTER (WHERE r.state IN ${FAILED})::float8 AS failed,
    coalesce(sum(r.occurrences) FILTER (WHERE r.state IN ('skipped', 'missed', 'superseded', 'cancelled')), 0)::float8 AS not_run,
    count(*) FILTER (WHERE r.finished_at IS NULL)::float8 AS open,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY d.ms) AS p50_ms,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY d.ms) AS p95_ms
  FROM run r
  CROSS JOIN LATERAL (SELECT CASE WHEN (r.state = 'succeeded' OR r.state IN ${FAILED})
    AND NOT starts_with(coalesce(r.reason, ''), '${RESOLVED}')
    THEN (extract(epoch FROM r.finished_at - r.started_at) * 1000)::float8 END AS ms) d
  WHERE r.task_id = t.id AND r.scheduled_for >= $2::timestamptz
) s
LEFT JOIN LATERAL (
  SELECT jsonb_build_object('id', r.id, 'state', r.state, 'at', r.finished_at, 'reason', r.reason, 'error', r.error) AS last_error
  FROM run r
  WHERE r.task_id = t.id AND r.state IN ${FAILED} AND r.scheduled_for >= $2::timestamptz
  ORDER BY r.scheduled_for DESC LIMIT 1
) e ON true
WHERE t.namespace = $1 AND t.deleted_at IS NULL AND ($3::text IS NULL OR t.name = $3) AND ${meetsLabels('t', '$4')}
ORDER BY t.name`;
