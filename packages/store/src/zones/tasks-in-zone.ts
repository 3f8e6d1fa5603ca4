import type { CalendarUse, ScheduleSpec } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { planAnew } from '../tasks/plan-anew.ts';

/** A task that is due by a zone: its schedule's, or that of a calendar that it uses. */
export interface TaskInZone {
  id: string;
  name: string;
  planSeq: number;
  schedule: ScheduleSpec;
  calendars: CalendarUse | undefined;
  nextRunAt: Date;
  effectiveAt: Date;
}

/** Tasks by a zone that are due again at `from` or later, by id. */
export async function tasksInZone(
  db: Database,
  zone: string,
  { from, after, limit }: { from?: Date; after: string | null; limit: number },
): Promise<TaskInZone[]> {
  const rows = await query<{
    id: string;
    name: string;
    plan_seq: number;
    schedule: ScheduleSpec;
    calendars: CalendarUse | null;
    next_run_at: Date;
    effective_at: Date;
  }>(db.pool, 'tasks_in_zone', TASKS_IN_ZONE, [db.namespace, zone, from?.toISOString() ?? null, after, limit]);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    planSeq: row.plan_seq,
    schedule: row.schedule,
    calendars: row.calendars ?? undefined,
    nextRunAt: row.next_run_at,
    effectiveAt: row.effective_at,
  }));
}

const TASKS_IN_ZONE = `
SELECT t.id, t.name, t.plan_seq, t.schedule, t.rules->'calendars' AS calendars, t.next_run_at, t.effective_at
FROM task t
WHERE t.namespace = $1 AND t.deleted_at IS NULL AND t.next_run_at IS NOT NULL AND ($3::timestamptz IS NULL OR t.next_run_at >= $3)
  AND ($4::uuid IS NULL OR t.id > $4)
  AND (t.schedule->>'timeZone' = $2 OR t.rules->'calendars'->'exclude' ?| ARRAY(
    SELECT c.name FROM calendar_version c WHERE c.namespace = $1 AND c.ended_at IS NULL AND c.definition->>'timeZone' = $2))
ORDER BY t.id LIMIT $5`;

/** Has a task planned anew from an instant on. False: it has changed since it was read. */
export async function replanTask(
  db: Database,
  task: Pick<TaskInZone, 'id' | 'planSeq'>,
  { nextRunAt, from }: { nextRunAt: Date | null; from: Date },
): Promise<boolean> {
  const rows = await query(
    db.pool,
    'replan_task',
    `UPDATE task t SET next_run_at = $4, ${planAnew('t', '$5')}
     WHERE t.namespace = $1 AND t.id = $2 AND t.plan_seq = $3 AND t.deleted_at IS NULL RETURNING 1`,
    [db.namespace, task.id, task.planSeq, nextRunAt?.toISOString() ?? null, from.toISOString()],
  );
  return rows.length > 0;
}
