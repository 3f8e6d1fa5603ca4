import { type DurationDigest, quantileOf, RESOLVED } from '@escapement/core';
import { type Database, query } from '../database.ts';

/** What became of the runs of a task in an hour, or on a day. */
export interface TaskOutcomes {
  /** Its beginning. Runs are counted where they were due. */
  from: Date;
  succeeded: number;
  /** Failed, timed out or quarantined. */
  failed: number;
  skipped: number;
  missed: number;
  /** Superseded or cancelled. */
  cancelled: number;
  /** How long the runs took that succeeded or failed; at most 5 % off. Milliseconds; null: there are none. */
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface OutcomesQuestion {
  taskId: string;
  /** In the first hour or day; all of that is counted. */
  since: Date;
  by: 'hour' | 'day';
  /** Whose days they are. An hour belongs to the day in which it begins. */
  timeZone: string;
}

interface OutcomesRow extends Omit<TaskOutcomes, 'p50Ms' | 'p95Ms'> {
  took: DurationDigest | null;
  [column: string]: unknown;
}

/** Counts the runs of a task that have ended, by hour or day, the oldest first; without those that had none. */
export async function taskOutcomes(
  db: Database,
  { taskId, since, by, timeZone }: OutcomesQuestion,
): Promise<TaskOutcomes[]> {
  const values = [db.namespace, taskId, since.toISOString(), by, timeZone];
  const rows = await query<OutcomesRow>(db.pool, 'task_outcomes', TASK_OUTCOMES, values);
  return rows.map(({ from, succeeded, failed, skipped, missed, cancelled, took }) => ({
    ...{ from, succeeded, failed, skipped, missed, cancelled },
    p50Ms: quantileOf(took ?? {}, 0.5),
    p95Ms: quantileOf(took ?? {}, 0.95),
  }));
}

// As in `task_stats`: whole hours come from the roll-ups, what is after them from the ledger. A row may stand for a stretch of occurrences.
const TASK_OUTCOMES = `
WITH span AS MATERIALIZED (
  SELECT f.first, greatest(f.first, (SELECT u.rolled_until FROM roll_up u WHERE u.namespace = $1)) AS until
  FROM (SELECT date_trunc($4, $3::timestamptz, $5) AS first) f
), of_task AS MATERIALIZED (
  SELECT t.id FROM task t WHERE t.namespace = $1 AND t.id = $2
), ended AS MATERIALIZED (
  SELECT date_trunc($4, h.hour, $5) AS begins, h.succeeded, h.failed + h.timed_out + h.quarantined AS failed, h.skipped, h.missed,
    h.superseded + h.cancelled AS cancelled, h.took
  FROM span s CROSS JOIN of_task t JOIN task_hour h ON h.task_id = t.id AND h.hour >= s.first AND h.hour < s.until
  UNION ALL
  SELECT date_trunc($4, r.scheduled_for, $5), (r.state = 'succeeded')::integer,
    (r.state IN ('failed', 'timed_out', 'quarantined'))::integer, CASE WHEN r.state = 'skipped' THEN r.occurrences ELSE 0 END,
    CASE WHEN r.state = 'missed' THEN r.occurrences ELSE 0 END, CASE WHEN r.state IN ('superseded', 'cancelled') THEN r.occurrences ELSE 0 END,
    CASE WHEN r.state IN ('succeeded', 'failed', 'timed_out', 'quarantined') AND NOT starts_with(coalesce(r.reason, ''), '${RESOLVED}')
        AND r.started_at IS NOT NULL
      THEN jsonb_build_object(duration_bucket(r.finished_at - r.started_at), 1) ELSE '{}' END
  FROM span s CROSS JOIN of_task t JOIN run r ON r.task_id = t.id AND r.scheduled_for >= s.until
  WHERE r.finished_at IS NOT NULL
), took AS (
  SELECT d.begins, jsonb_object_agg(d.bucket, d.runs) AS took
  FROM (SELECT e.begins, one.key AS bucket, sum(one.value::integer) AS runs FROM ended e, jsonb_each_text(e.took) one GROUP BY 1, 2) d
  GROUP BY 1
)
SELECT e.begins AS "from", sum(e.succeeded)::float8 AS succeeded, sum(e.failed)::float8 AS failed, sum(e.skipped)::float8 AS skipped,
  sum(e.missed)::float8 AS missed, sum(e.cancelled)::float8 AS cancelled, d.took
FROM ended e LEFT JOIN took d ON d.begins = e.begins
GROUP BY e.begins, d.took ORDER BY e.begins`;
