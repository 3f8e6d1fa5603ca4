import { type DurationDigest, quantileOf, RESOLVED } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

/** What became of the runs of a task in an hour, or on a day. */
export interface TaskOutcomes {
  /** Its beginning. Runs are counted where they were due. */
  from: Date;
  /** Where the next one begins. */
  to: Date;
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
  p99Ms: number | null;
}

export interface OutcomesQuestion {
  taskId: string;
  /** In the first hour or day; all of that is counted. */
  since: Date;
  by: 'hour' | 'day';
  /** Whose days they are. Hours are those of UTC, and each belongs to the day in which it begins. */
  timeZone: string;
}

type OutcomesRow = Omit<TaskOutcomes, 'p50Ms' | 'p95Ms' | 'p99Ms'> & { took: DurationDigest | null };

/** Counts the runs of a task that have ended, by hour or day, the oldest first; without those that had none. */
export async function taskOutcomes(
  db: Database,
  { taskId, since, by, timeZone }: OutcomesQuestion,
): Promise<TaskOutcomes[]> {
  const values = [db.namespace, taskId, since.toISOString(), by, by === 'hour' ? 'UTC' : timeZone];
  const rows = await query<OutcomesRow>(db.pool, 'task_outcomes', TASK_OUTCOMES, values);
  return rows.map(({ took, ...counted }) => ({
    ...counted,
    p50Ms: quantileOf(took ?? {}, 0.5),
    p95Ms: quantileOf(took ?? {}, 0.95),
    p99Ms: quantileOf(took ?? {}, 0.99),
  }));
}

// As in `task_stats`: whole hours come from the roll-ups, what is after them from the ledger, by the same hours. A row may stand for a stretch.
const TASK_OUTCOMES = `
WITH span AS MATERIALIZED (
  SELECT f.first, greatest(f.first, (SELECT u.rolled_until FROM roll_up u WHERE u.namespace = $1)) AS until
  FROM (SELECT date_bin('1 hour', date_trunc($4, $3::timestamptz, $5) + interval '1 hour' - interval '1 ms', 'epoch') AS first) f
), of_task AS MATERIALIZED (
  SELECT t.id FROM task t WHERE t.namespace = $1 AND t.id = $2
), ended AS MATERIALIZED (
  SELECT h.hour, h.succeeded, h.failed + h.timed_out + h.quarantined AS failed, h.skipped, h.missed, h.superseded + h.cancelled AS cancelled, h.took
  FROM span s CROSS JOIN of_task t JOIN task_hour h ON h.task_id = t.id AND h.hour >= s.first AND h.hour < s.until
  UNION ALL
  SELECT date_bin('1 hour', r.scheduled_for, 'epoch'), (r.state = 'succeeded')::integer,
    (r.state IN ('failed', 'timed_out', 'quarantined'))::integer, CASE WHEN r.state = 'skipped' THEN r.occurrences ELSE 0 END,
    CASE WHEN r.state = 'missed' THEN r.occurrences ELSE 0 END, CASE WHEN r.state IN ('superseded', 'cancelled') THEN r.occurrences ELSE 0 END,
    CASE WHEN r.state IN ('succeeded', 'failed', 'timed_out', 'quarantined') AND NOT starts_with(coalesce(r.reason, ''), '${RESOLVED}')
        AND r.started_at IS NOT NULL
      THEN jsonb_build_object(duration_bucket(r.finished_at - r.started_at), 1) ELSE '{}' END
  FROM span s CROSS JOIN of_task t JOIN any_run r ON r.task_id = t.id AND r.scheduled_for >= s.until
  WHERE r.finished_at IS NOT NULL
), piece AS MATERIALIZED (
  SELECT date_trunc($4, e.hour, $5) AS begins, e.* FROM ended e
), took AS (
  SELECT d.begins, jsonb_object_agg(d.bucket, d.runs) AS took
  FROM (SELECT p.begins, one.key AS bucket, sum(one.value::integer) AS runs FROM piece p, jsonb_each_text(p.took) one GROUP BY 1, 2) d
  GROUP BY 1
)
-- Days have 23 to 25 hours.
SELECT p.begins AS "from", date_trunc($4, p.begins + CASE $4 WHEN 'day' THEN interval '36 hours' ELSE interval '1 hour' END, $5) AS "to",
  sum(p.succeeded)::float8 AS succeeded, sum(p.failed)::float8 AS failed,
  sum(p.skipped)::float8 AS skipped, sum(p.missed)::float8 AS missed, sum(p.cancelled)::float8 AS cancelled, d.took
FROM piece p LEFT JOIN took d ON d.begins = p.begins
GROUP BY p.begins, d.took ORDER BY p.begins`;
