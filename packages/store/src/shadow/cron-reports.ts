import { IN_SHADOW } from '@escapement/core/plan';
import type { CronReport, CronStart } from '@escapement/core/shadow';
import { type Database, query } from '../postgres/database.ts';

/** Keeps what hosts have told of cron. A report that is there already is completed, and never taken back: it may be told again and in any order. */
export async function keepCronReports(db: Database, reports: readonly CronReport[]): Promise<void> {
  await query(db.pool, 'keep_cron_reports', KEEP, [
    db.namespace,
    reports.map(({ id }) => id),
    reports.map(({ line }) => line),
    reports.map(({ host }) => host),
    reports.map(({ startedAt }) => startedAt.toISOString()),
    reports.map(({ endedAt }) => endedAt?.toISOString() ?? null),
    reports.map(({ exitCode }) => exitCode),
    reports.map(({ signal }) => signal),
    reports.map(({ bootedAt }) => bootedAt?.toISOString() ?? null),
    reports.map(({ leftToFleet }) => leftToFleet ?? false),
  ]);
}

// Start and end of one start may come together: the end counts.
const KEEP = `
INSERT INTO cron_report AS c (namespace, id, line, host, started_at, ended_at, exit_code, signal, booted_at, left_to_fleet)
SELECT DISTINCT ON (r.id) $1, r.* FROM unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::integer[], $8::text[],
  $9::timestamptz[], $10::boolean[]) AS r(id, line, host, started_at, ended_at, exit_code, signal, booted_at, left_to_fleet)
ORDER BY r.id, r.ended_at
ON CONFLICT (namespace, id) DO UPDATE SET ended_at = excluded.ended_at, exit_code = excluded.exit_code, signal = excluded.signal, told_at = now()
WHERE c.ended_at IS NULL AND excluded.ended_at IS NOT NULL`;

/** A start by cron, with the line and the host that it is of. */
export interface ReportedStart extends CronStart {
  line: string;
  host: string;
  /** The command did not run. */
  leftToFleet: boolean;
}

/** What cron has started since an instant of these lines, the first one first; at most so many, the latest ones. */
export async function cronStarts(
  db: Database,
  lines: readonly string[],
  { since, limit }: { since: Date; limit: number },
): Promise<ReportedStart[]> {
  const rows = await query<ReportedStart & { [column: string]: unknown }>(
    db.pool,
    'cron_starts',
    `SELECT line, host, started_at AS "startedAt", ended_at AS "endedAt", exit_code AS "exitCode", signal, booted_at AS "bootedAt", left_to_fleet AS "leftToFleet"
     FROM cron_report WHERE namespace = $1 AND line = ANY ($2::text[]) AND started_at >= $3::timestamptz
     ORDER BY started_at DESC LIMIT $4`,
    [db.namespace, lines, since.toISOString(), limit],
  );
  return rows.reverse();
}

/** What was due of a task that is in the shadow of cron: one occurrence, or a stretch of them. */
export interface ShadowRow {
  taskId: string;
  scheduledFor: Date;
  untilAt: Date | null;
}

/** Rows of these tasks' schedules since an instant that the shadow has skipped. */
export async function shadowRows(
  db: Database,
  taskIds: readonly string[],
  { since, limit }: { since: Date; limit: number },
): Promise<ShadowRow[]> {
  return await query<ShadowRow & { [column: string]: unknown }>(
    db.pool,
    'shadow_rows',
    `SELECT r.task_id AS "taskId", r.scheduled_for AS "scheduledFor", r.until_at AS "untilAt" FROM any_run r
     WHERE r.namespace = $1 AND r.task_id = ANY ($2::uuid[]) AND r.scheduled_for >= $3::timestamptz AND r.scheduled_for <= now()
       AND r.origin = 'schedule' AND r.state = 'skipped' AND (r.reason = $5 OR r.reason LIKE $5 || ': %')
     ORDER BY r.scheduled_for DESC LIMIT $4`,
    [db.namespace, taskIds, since.toISOString(), limit, IN_SHADOW],
  );
}
