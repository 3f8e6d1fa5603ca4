import { type Database, query } from '../postgres/database.ts';

/** What became of the runs of a task that were due in an hour. */
export interface HourlyOutcome {
  taskId: string;
  hour: Date;
  succeeded: number;
  /** Failed, timed out or quarantined. */
  failed: number;
  missed: number;
  /** Skipped, superseded or cancelled. */
  notRun: number;
}

/** Counts the runs of tasks that have ended, by the hour of UTC in which they were due: hours that begin in [from, to), without those that had none. */
export async function hourlyOutcomes(
  db: Database,
  { taskIds, from, to }: { taskIds: readonly string[]; from: Date; to: Date },
): Promise<HourlyOutcome[]> {
  return await query<HourlyOutcome & { [column: string]: unknown }>(db.pool, 'hourly_outcomes', HOURLY_OUTCOMES, [
    db.namespace,
    taskIds,
    from.toISOString(),
    to.toISOString(),
  ]);
}

// As in `task_outcomes`: whole hours come from the roll-ups, what is after them from the ledger.
const HOURLY_OUTCOMES = `
WITH span AS MATERIALIZED (
  SELECT f.first, greatest(f.first, (SELECT u.rolled_until FROM roll_up u WHERE u.namespace = $1)) AS until
  FROM (SELECT date_bin('1 hour', $3::timestamptz + interval '1 hour' - interval '1 ms', 'epoch') AS first) f
), of_task AS MATERIALIZED (
  SELECT t.id FROM task t WHERE t.namespace = $1 AND t.id = ANY ($2::uuid[])
)
SELECT h.task_id AS "taskId", h.hour, h.succeeded::float8, (h.failed + h.timed_out + h.quarantined)::float8 AS failed, h.missed::float8,
  (h.skipped + h.superseded + h.cancelled)::float8 AS "notRun"
FROM span s CROSS JOIN of_task t JOIN task_hour h ON h.task_id = t.id AND h.hour >= s.first AND h.hour < least(s.until, $4::timestamptz)
UNION ALL
SELECT r.task_id, date_bin('1 hour', r.scheduled_for, 'epoch'), (count(*) FILTER (WHERE r.state = 'succeeded'))::float8,
  (count(*) FILTER (WHERE r.state IN ('failed', 'timed_out', 'quarantined')))::float8,
  coalesce(sum(r.occurrences) FILTER (WHERE r.state = 'missed'), 0)::float8,
  coalesce(sum(r.occurrences) FILTER (WHERE r.state IN ('skipped', 'superseded', 'cancelled')), 0)::float8
FROM span s CROSS JOIN of_task t JOIN any_run r ON r.task_id = t.id AND r.scheduled_for >= s.until AND r.scheduled_for < $4::timestamptz
WHERE r.finished_at IS NOT NULL GROUP BY 1, 2`;
