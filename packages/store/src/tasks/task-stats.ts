import { type DurationDigest, quantileOf, RESOLVED, type RunError, type RunState } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import { type Database, query } from '../postgres/database.ts';
import { meetsLabels, toSelectors } from './task-labels.ts';

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
  /**
   * Milliseconds from start to end of the runs that succeeded or failed, but for those whose end a person told; at most 5 % off. Null:
   * there is none.
   */
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
  took: DurationDigest;
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
    toSelectors(labels),
  ]);
  return rows.map((row) => ({
    name: row.name,
    count: row.count,
    succeeded: row.succeeded,
    failed: row.failed,
    notRun: row.not_run,
    open: row.open,
    p50Ms: quantileOf(row.took, 0.5),
    p95Ms: quantileOf(row.took, 0.95),
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

const NOT_RUN = `('skipped', 'missed', 'superseded', 'cancelled')`;

/** Of all tasks; each phase has an index of its own. */
const OPEN = ['live', 'untold', 'repeating', 'waiting', 'held', 'unknown']
  .map(
    (phase) =>
      // Equivalent mutant (predicate removed, r.namespace): the counts are joined by a task of the namespace: this is for the index.
      `SELECT r.task_id FROM any_run r, span s WHERE r.namespace = $1 AND r.phase = '${phase}' AND r.scheduled_for >= s.since`,
  )
  .join('\n  UNION ALL ');

// Whole hours come from the roll-ups, what is before and after them from the ledger. A row may stand for a stretch of occurrences.
const TASK_STATS = `
WITH span AS MATERIALIZED (
  SELECT $2::timestamptz AS since, l.first, greatest(l.first, (SELECT u.rolled_until FROM roll_up u WHERE u.namespace = $1)) AS until
  FROM (SELECT date_bin('1 hour', $2::timestamptz + interval '1 hour' - interval '1 ms', 'epoch') AS first) l
), open AS MATERIALIZED (
  SELECT o.task_id, count(*) AS runs FROM (${OPEN}) o GROUP BY 1
)
SELECT t.name, (p.ended + coalesce(o.runs, 0))::float8 AS count, p.succeeded::float8, p.failed::float8, p.not_run::float8,
  coalesce(o.runs, 0)::float8 AS open, d.took, e.last_error
FROM task t CROSS JOIN span s
LEFT JOIN open o ON o.task_id = t.id
CROSS JOIN LATERAL (
  SELECT coalesce(sum(each.ended), 0) AS ended, coalesce(sum(each.succeeded), 0) AS succeeded, coalesce(sum(each.failed), 0) AS failed,
    coalesce(sum(each.not_run), 0) AS not_run, array_agg(each.took) AS took
  FROM (
    SELECT h.succeeded + h.failed + h.timed_out + h.quarantined + h.skipped + h.missed + h.superseded + h.cancelled AS ended, h.succeeded,
      h.failed + h.timed_out + h.quarantined AS failed, h.skipped + h.missed + h.superseded + h.cancelled AS not_run, h.took
    FROM task_hour h WHERE h.task_id = t.id AND h.hour >= s.first AND h.hour < s.until
    UNION ALL
    SELECT r.occurrences, (r.state = 'succeeded')::integer, (r.state IN ${FAILED})::integer,
      CASE WHEN r.state IN ${NOT_RUN} THEN r.occurrences ELSE 0 END,
      CASE WHEN (r.state = 'succeeded' OR r.state IN ${FAILED}) AND NOT starts_with(coalesce(r.reason, ''), '${RESOLVED}')
          AND r.started_at IS NOT NULL
        THEN jsonb_build_object(duration_bucket(r.finished_at - r.started_at), 1) ELSE '{}' END
    FROM (
      SELECT * FROM any_run WHERE task_id = t.id AND scheduled_for >= s.since AND scheduled_for < s.first
      UNION ALL SELECT * FROM any_run WHERE task_id = t.id AND scheduled_for >= s.until
    ) r WHERE r.finished_at IS NOT NULL
  ) each
) p
CROSS JOIN LATERAL (
  SELECT coalesce(jsonb_object_agg(b.bucket, b.runs), '{}') AS took
  FROM (SELECT one.key AS bucket, sum(one.value::integer) AS runs FROM unnest(p.took) AS u(digest), jsonb_each_text(u.digest) one GROUP BY 1) b
) d
LEFT JOIN LATERAL (
  SELECT jsonb_build_object('id', r.id, 'state', r.state, 'at', r.finished_at, 'reason', r.reason, 'error', r.error) AS last_error
  FROM any_run r
  WHERE r.task_id = t.id AND r.state IN ${FAILED} AND r.scheduled_for >= $2::timestamptz
  ORDER BY r.scheduled_for DESC LIMIT 1
) e ON true
WHERE t.namespace = $1 AND t.deleted_at IS NULL AND ($3::text IS NULL OR t.name = $3) AND ${meetsLabels('t', '$4')}
ORDER BY t.name`;
