import type { Json, OverlapPolicy } from '@escapement/core';
import type { LabelFilter } from '@escapement/core/rights';
import type { CalendarUse } from '@escapement/core/schedule';
import { type Database, query } from '../postgres/database.ts';
import { toLike } from '../postgres/like.ts';
import { isLeftToCron } from '../shadow/handovers.ts';
import { meetsLabels, toSelectors } from '../tasks/task-labels.ts';

/** What a forecast has to know of a task. */
export interface TaskToForecast {
  id: string;
  name: string;
  /** A `ScheduleSpec` as JSON: most tasks have the schedule of another one. */
  schedule: string;
  calendars: CalendarUse | null;
  keyTemplate: string;
  /** Read only where the key is a template over it. */
  payload: Json | null;
  limit: number;
  overlap: OverlapPolicy;
  pool: string;
  /** Workers that each occurrence has a run on; null: it does not run on every worker. */
  workers: number | null;
  /** How many runs were planned, where the schedule ends after so many. */
  plannedRuns: number;
  /** Of a fixed delay, when it is due next; null: its run at work sets it. */
  nextRunAt: Date | null;
  /** How long its runs take; null: none is known. Milliseconds. */
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface ForecastFilter {
  pool?: string | undefined;
  labels?: LabelFilter | undefined;
  /** Names, where `*` stands for anything: one of them. */
  names?: readonly string[] | undefined;
}

/** The tasks that are in force, by pool; none that is in the shadow of cron. */
export async function tasksToForecast(db: Database, filter: ForecastFilter): Promise<TaskToForecast[]> {
  return await query<TaskToForecast & { [column: string]: unknown }>(
    db.pool,
    'tasks_to_forecast',
    TASKS,
    valuesOf(db, filter),
  );
}

function valuesOf({ namespace }: Database, { pool, labels, names }: ForecastFilter): unknown[] {
  return [namespace, pool ?? null, toSelectors(labels), names?.map(toLike) ?? null];
}

const TASKS = `
SELECT t.id, t.name, t.schedule::text AS schedule, t.rules->'calendars' AS calendars, t.key_template AS "keyTemplate",
  CASE WHEN t.key_template LIKE '%{{%' THEN t.definition->'payload' END AS payload, t.key_limit AS limit, coalesce(t.definition->'overlap', jsonb_build_object('policy', t.overlap)) AS overlap, t.pool,
  CASE WHEN t.rules ? 'runOn' THEN cardinality(expected_workers(t.namespace, t.pool, t.need)) END AS workers,
  plan.planned_runs AS "plannedRuns", CASE WHEN t.schedule->>'kind' = 'fixed-delay' THEN plan.next_run_at END AS "nextRunAt", d.p50_ms AS "p50Ms", d.p95_ms AS "p95Ms"
FROM task t JOIN task_plan plan ON plan.task_id = t.id LEFT JOIN task_duration d ON d.task_id = t.id
WHERE t.namespace = $1 AND t.deleted_at IS NULL AND NOT ${isLeftToCron('t', 'now()')} AND ($2::text IS NULL OR t.pool = $2) AND ${meetsLabels('t', '$3')}
  AND ($4::text[] IS NULL OR t.name LIKE ANY ($4::text[]))
ORDER BY t.pool`;

/**
 * A digest of what `tasksToForecast` reads: another one where any of it has changed. Cheaper, as the rows are not sent and not parsed.
 */
export async function forecastDigest(db: Database, filter: ForecastFilter): Promise<string> {
  const [row] = await query<{ digest: string }>(
    db.pool,
    'forecast_digest',
    `SELECT count(*) || ':' || coalesce(bit_xor(hashtextextended(read::text, 0)), 0) AS digest FROM (${TASKS}) read`,
    valuesOf(db, filter),
  );
  return row?.digest ?? '';
}

/** A time in which occurrences of a task do not run. */
export interface PauseAhead {
  /** Null: of all tasks. */
  taskId: string | null;
  fromAt: Date;
  /** Null: until somebody ends it. */
  untilAt: Date | null;
}

/** Pauses of tasks, and freezes of the fleet, that go on or are to come. */
export async function pausesAhead(db: Database): Promise<PauseAhead[]> {
  return await query<PauseAhead & { [column: string]: unknown }>(
    db.pool,
    'pauses_ahead',
    `SELECT p.task_id AS "taskId", p.from_at AS "fromAt", p.until_at AS "untilAt" FROM task_pause p JOIN task t ON t.id = p.task_id
     WHERE t.namespace = $1 AND (p.until_at IS NULL OR p.until_at > now())
     UNION ALL SELECT NULL, f.from_at, f.until_at FROM fleet_freeze f WHERE f.namespace = $1 AND (f.until_at IS NULL OR f.until_at > now())`,
    [db.namespace],
  );
}
