import type { By } from '@escapement/core';
import type { CalendarSpec, CalendarUse, ScheduleSpec } from '@escapement/core/schedule';
import { nameIn, noteAction, toActing } from './audit-row.ts';
import { type Database, query } from './postgres/database.ts';
import { WAKE_CHANNEL } from './runs/trigger-run.ts';
import { planAnew } from './tasks/task-plan.ts';

/** A calendar as it is in force. */
export interface StoredCalendar {
  name: string;
  version: number;
  definition: CalendarSpec;
  savedBy: string;
  savedAt: Date;
}

interface Row {
  name: string;
  version: number;
  definition: CalendarSpec;
  created_by: string;
  created_at: Date;
}

/** The calendars in force: all by name, or those that are named. */
export async function listCalendars(db: Database, names?: readonly string[]): Promise<StoredCalendar[]> {
  const rows = await query<Row>(
    db.pool,
    'list_calendars',
    `SELECT name, version, definition, created_by, created_at FROM calendar_version
     WHERE namespace = $1 AND ended_at IS NULL AND ($2::text[] IS NULL OR name = ANY ($2)) ORDER BY name`,
    [db.namespace, names ?? null],
  );
  return rows.map((row) => ({
    name: row.name,
    version: row.version,
    definition: row.definition,
    savedBy: row.created_by,
    savedAt: row.created_at,
  }));
}

/** The names of the tasks that use a calendar. */
export async function tasksUsing(db: Database, calendar: string): Promise<string[]> {
  const rows = await query<{ name: string }>(
    db.pool,
    'tasks_using',
    `SELECT name FROM task WHERE namespace = $1 AND deleted_at IS NULL AND rules->'calendars'->'exclude' ? $2 ORDER BY name`,
    [db.namespace, calendar],
  );
  return rows.map((row) => row.name);
}

/** A task that is due by its schedule, except in calendars. */
export interface CalendarTask {
  name: string;
  schedule: ScheduleSpec;
  calendars: CalendarUse;
}

/** The tasks that use any calendar and have an occurrence ahead, without those that are paused or at rest. Looks at all tasks. */
export async function tasksWithCalendars(db: Database): Promise<CalendarTask[]> {
  const rows = await query<CalendarTask & { [column: string]: unknown }>(
    db.pool,
    'tasks_with_calendars',
    `SELECT t.name, t.schedule, t.rules->'calendars' AS calendars FROM task t JOIN task_plan plan ON plan.task_id = t.id
     WHERE t.namespace = $1 AND t.deleted_at IS NULL AND t.rules ? 'calendars' AND plan.next_run_at IS NOT NULL
       AND NOT EXISTS (SELECT FROM task_pause p WHERE p.task_id = t.id AND p.from_at <= now() AND (p.until_at IS NULL OR p.until_at > now()))
     ORDER BY t.name`,
    [db.namespace],
  );
  return rows.map(({ name, schedule, calendars }) => ({ name, schedule, calendars }));
}

export interface CalendarSave {
  name: string;
  definition: CalendarSpec;
  by: By;
  /** The version the caller read; null: the calendar is new. */
  expectedVersion: number | null;
  effectiveAt: Date;
  /** All tasks that use it, as they were read, and where each goes on. */
  tasks: readonly { id: string; planSeq: number; nextRunAt: Date | null }[];
}

/**
 * Saves a calendar as its next version and has its tasks planned anew from `effectiveAt` on, all or nothing. Rows
 * already planned are adopted where the occurrence stays, and end as superseded at begin where it does not. Null:
 * the calendar, one of the tasks or which tasks use it changed meanwhile; read them again.
 */
export async function saveCalendarVersion(db: Database, save: CalendarSave): Promise<number | null> {
  const [row] = await query<{ version: number }>(db.pool, 'save_calendar', SAVE_CALENDAR, [
    db.namespace,
    save.name,
    JSON.stringify(save.definition),
    toActing(save.by),
    save.expectedVersion,
    save.effectiveAt.toISOString(),
    save.tasks.map((task) => task.id),
    save.tasks.map((task) => task.planSeq),
    save.tasks.map((task) => task.nextRunAt?.toISOString() ?? null),
    WAKE_CHANNEL,
  ]);
  return row?.version ?? null;
}

const SAVE_CALENDAR = `
WITH input AS MATERIALIZED (
  SELECT * FROM unnest($7::uuid[], $8::integer[], $9::timestamptz[]) AS i(task_id, plan_seq, next_run_at)
), locked AS MATERIALIZED (
  SELECT plan.task_id, i.next_run_at FROM task_plan plan JOIN input i ON i.task_id = plan.task_id
  WHERE plan.namespace = $1 AND plan.plan_seq = i.plan_seq
  ORDER BY plan.task_id
  FOR NO KEY UPDATE OF plan
), valid AS MATERIALIZED (
  SELECT coalesce(max(c.version), 0) AS latest FROM calendar_version c WHERE c.namespace = $1 AND c.name = $2
  HAVING max(c.version) FILTER (WHERE c.ended_at IS NULL) IS NOT DISTINCT FROM $5::integer
    AND (SELECT count(*) FROM locked) = cardinality($7::uuid[])
    AND NOT EXISTS (SELECT FROM task t WHERE t.namespace = $1 AND t.deleted_at IS NULL
      AND t.rules->'calendars'->'exclude' ? $2 AND t.id <> ALL ($7::uuid[]))
), ended AS (
  UPDATE calendar_version c SET ended_at = GREATEST($6, c.created_at) FROM valid
  WHERE c.namespace = $1 AND c.name = $2 AND c.ended_at IS NULL
  RETURNING 1
), saved AS (
  INSERT INTO calendar_version (namespace, name, version, definition, created_by, created_at)
  SELECT $1, $2, v.latest + 1, $3::jsonb, ${nameIn('$4')}, $6 FROM valid v
  -- The version before must have ended first: it is in force by the unique index.
  WHERE (SELECT count(*) FROM ended) >= 0
  -- Somebody else has saved this version in this very moment.
  ON CONFLICT DO NOTHING
  RETURNING version
), noted AS (
  ${noteAction({
    by: '$4',
    action: "'save'",
    subject: "'calendar:' || $2::text",
    detail: "jsonb_build_object('version', s.version)",
    before: 'b.definition',
    after: '$3::jsonb',
    from: `saved s LEFT JOIN calendar_version b
      ON b.namespace = $1 AND b.name = $2 AND b.version = s.version - 1 AND b.version = $5::integer`,
  })}
),
-- What has no next occurrence to be planned keeps the rows that it has: nobody would make others.
${planAnew({ seen: 'locked seen CROSS JOIN saved', nextRunAt: 'seen.next_run_at', from: '$6::timestamptz' })}
SELECT version, pg_notify($10, $1) AS woken, (SELECT count(*) FROM moved) AS moved FROM saved`;

/** Ends a calendar that no task uses. False: there is none, or a task uses it. */
export async function deleteCalendar(db: Database, name: string, by: By): Promise<boolean> {
  const rows = await query(
    db.pool,
    'delete_calendar',
    `WITH ended AS (
       UPDATE calendar_version SET ended_at = now() WHERE namespace = $1 AND name = $2 AND ended_at IS NULL
         AND NOT EXISTS (SELECT FROM task t WHERE t.namespace = $1 AND t.deleted_at IS NULL
           AND t.rules->'calendars'->'exclude' ? $2)
       RETURNING name
     ), noted AS (
       ${noteAction({ by: '$3', action: "'delete'", subject: "'calendar:' || ended.name", from: 'ended' })}
     )
     SELECT FROM ended`,
    [db.namespace, name, toActing(by)],
  );
  return rows.length > 0;
}
