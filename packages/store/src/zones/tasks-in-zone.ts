import type { CalendarUse, ScheduleSpec } from '@escapement/core/schedule';
import { type Database, query } from '../postgres/database.ts';
import { planAnew, seenPlan } from '../tasks/task-plan.ts';

/** A task that is due by a zone: its schedule's, or that of a calendar that it uses. */
export interface TaskInZone {
  id: string;
  name: string;
  schedule: ScheduleSpec;
  calendars: CalendarUse | undefined;
  nextRunAt: Date;
  effectiveAt: Date;
}

/** Bounds of the next occurrence, for tasks without calendars and with them. */
export interface DueFrom {
  without: Date;
  withCalendars: Date;
}

/** Tasks by a zone that are due again, with `dueFrom` then or later, by id. */
export async function tasksInZone(
  db: Database,
  zone: string,
  { dueFrom, after, limit }: { dueFrom?: DueFrom; after: string | null; limit: number },
): Promise<TaskInZone[]> {
  const rows = await query<{
    id: string;
    name: string;
    schedule: ScheduleSpec;
    calendars: CalendarUse | null;
    next_run_at: Date;
    effective_at: Date;
  }>(db.pool, 'tasks_in_zone', TASKS_IN_ZONE, [
    db.namespace,
    zone,
    dueFrom?.without.toISOString() ?? null,
    dueFrom?.withCalendars.toISOString() ?? null,
    after,
    limit,
  ]);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    schedule: row.schedule,
    calendars: row.calendars ?? undefined,
    nextRunAt: row.next_run_at,
    effectiveAt: row.effective_at,
  }));
}

const TASKS_IN_ZONE = `
SELECT t.id, t.name, t.schedule, t.rules->'calendars' AS calendars, plan.next_run_at, t.effective_at
FROM task t JOIN task_plan plan ON plan.task_id = t.id
WHERE t.namespace = $1 AND t.deleted_at IS NULL AND plan.next_run_at IS NOT NULL AND ($3::timestamptz IS NULL
    OR plan.next_run_at >= CASE WHEN t.rules->'calendars' IS NULL THEN $3 ELSE $4::timestamptz END)
  AND ($5::uuid IS NULL OR t.id > $5)
  AND (t.schedule->>'timeZone' = $2 OR t.rules->'calendars'->'exclude' ?| ARRAY(
    SELECT c.name FROM calendar_version c WHERE c.namespace = $1 AND c.ended_at IS NULL AND c.definition->>'timeZone' = $2))
ORDER BY t.id LIMIT $6`;

/** Has a task planned anew from an instant on. False: it has changed since it was read. */
export async function replanTask(
  db: Database,
  task: { id: string; planSeq: number },
  { nextRunAt, from }: { nextRunAt: Date | null; from: Date },
): Promise<boolean> {
  const rows = await query(
    db.pool,
    'replan_task',
    `WITH ${seenPlan('t.id = $2', '$3')}, ${planAnew({ seen: 'seen', nextRunAt: '$4::timestamptz', from: '$5::timestamptz' })}
     SELECT FROM moved`,
    [db.namespace, task.id, task.planSeq, nextRunAt?.toISOString() ?? null, from.toISOString()],
  );
  return rows.length > 0;
}
