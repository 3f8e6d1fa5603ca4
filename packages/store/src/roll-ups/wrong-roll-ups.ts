import type { DurationDigest } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { keptDays } from '../tasks/kept-days.ts';

/** What became of the runs of a task that were due in an hour. */
export interface HourOfTask {
  /** Rows that have ended. */
  runs: number;
  /** Of them, those that were begun. */
  started: number;
  succeeded: number;
  failed: number;
  timed_out: number;
  quarantined: number;
  /** Occurrences, as are the next three: a row may stand for several. */
  skipped: number;
  missed: number;
  superseded: number;
  cancelled: number;
  /** How long the last attempts took. */
  took: DurationDigest;
  /** How late the last attempts began. */
  late: DurationDigest;
}

/** An hour of which ledger and roll-up do not say the same. */
export interface WrongRollUp {
  taskId: string;
  hour: Date;
  /** Null: no row has ended in it. */
  ledger: HourOfTask | null;
  /** Null: there is none. */
  rolledUp: HourOfTask | null;
}

/**
 * Compares the roll-ups of tasks with the ledger, hours that begin in (from, to]. Left out are those that are still to be rolled up, and
 * those of which runs may have been deleted by age.
 */
export async function wrongRollUps(
  db: Database,
  options: { taskIds: readonly string[]; from: Date; to: Date },
): Promise<WrongRollUp[]> {
  const rows = await query<{
    task_id: string;
    hour: Date;
    ledger: HourOfTask | null;
    rolled_up: HourOfTask | null;
  }>(db.pool, 'wrong_roll_ups', WRONG_ROLL_UPS, [
    db.namespace,
    options.taskIds,
    options.from.toISOString(),
    options.to.toISOString(),
  ]);
  return rows.map((row) => ({ taskId: row.task_id, hour: row.hour, ledger: row.ledger, rolledUp: row.rolled_up }));
}

const WRONG_ROLL_UPS = `
WITH pair AS MATERIALIZED (
  SELECT t.id AS task_id, h.hour FROM task t, roll_up u, generate_series(
    greatest(date_bin('1 hour', $3::timestamptz, 'epoch') + interval '1 hour',
      date_bin('1 hour', now() - make_interval(days => ${keptDays('t')}), 'epoch') + interval '1 hour'),
    least($4::timestamptz, u.rolled_until - interval '1 hour'), interval '1 hour') AS h(hour)
  WHERE t.namespace = $1 AND t.id = ANY ($2::uuid[]) AND u.namespace = $1
), ledger AS (
  SELECT e.* FROM (SELECT array_agg(p.task_id) AS tasks, array_agg(p.hour) AS hours FROM pair p) p
  CROSS JOIN LATERAL ended_by_hour(p.tasks, p.hours) e
), rolled_up AS (
  SELECT h.* FROM pair p JOIN task_hour h ON h.task_id = p.task_id AND h.hour = p.hour
)
SELECT p.task_id, p.hour, to_jsonb(l) - 'task_id' - 'hour' AS ledger, to_jsonb(h) - 'task_id' - 'hour' AS rolled_up
FROM pair p LEFT JOIN ledger l ON l.task_id = p.task_id AND l.hour = p.hour
LEFT JOIN rolled_up h ON h.task_id = p.task_id AND h.hour = p.hour
WHERE (l.runs, l.started, l.succeeded, l.failed, l.timed_out, l.quarantined, l.skipped, l.missed, l.superseded, l.cancelled, l.took, l.late)
  IS DISTINCT FROM
  (h.runs, h.started, h.succeeded, h.failed, h.timed_out, h.quarantined, h.skipped, h.missed, h.superseded, h.cancelled, h.took, h.late)
  AND NOT EXISTS (SELECT FROM task_hour_stale s WHERE s.namespace = $1 AND s.task_id = p.task_id AND s.hour = p.hour)
ORDER BY p.task_id, p.hour`;

/** Has schedulers roll up these hours anew. */
export async function noteStaleHours(db: Database, hours: readonly { taskId: string; hour: Date }[]): Promise<void> {
  if (hours.length === 0) return;
  await query(
    db.pool,
    'note_stale_hours',
    `INSERT INTO task_hour_stale (namespace, task_id, hour)
     SELECT $1, i.task_id, i.hour FROM unnest($2::uuid[], $3::timestamptz[]) AS i(task_id, hour)
     JOIN task t ON t.id = i.task_id AND t.namespace = $1`,
    [db.namespace, hours.map(({ taskId }) => taskId), hours.map(({ hour }) => hour.toISOString())],
  );
}
