import type { By } from '@escapement/core';
import { pausedReason } from '@escapement/core/plan';
import { nameIn, noteAction, reasonIn, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { WAKE_CHANNEL } from '../runs/trigger-run.ts';

export interface PauseRequest {
  name: string;
  /** Null: until resumed. */
  untilAt: Date | null;
  by: By;
  /** Its id: repeated with the same one, it is one pause. Default: a new one. */
  pauseId?: string | undefined;
}

/**
 * Pauses a task from now on, and tells the schedulers; the run included that it has decided to be its next one. False: there is no such task, or the pause is there already.
 */
export async function pauseTask(db: Database, request: PauseRequest): Promise<boolean> {
  const rows = await query(db.pool, 'pause_task', PAUSE_TASK, [
    db.namespace,
    request.name,
    request.untilAt?.toISOString() ?? null,
    toActing(request.by),
    pausedReason(request.by.reason),
    WAKE_CHANNEL,
    request.pauseId ?? null,
  ]);
  return rows.length > 0;
}

// Runs of the schedule are judged when they begin; one that a run has decided is none of the schedule. The end of a pause of many tasks
// may have passed when a scheduler comes to it.
const PAUSE_TASK = `
WITH paused AS (
  INSERT INTO task_pause (id, task_id, from_at, until_at, note, created_by)
  SELECT coalesce($7::uuid, gen_random_uuid()), id, now(), CASE WHEN $3::timestamptz IS NOT NULL THEN greatest($3, now()) END, ${reasonIn('$4')}, ${nameIn('$4')} FROM task WHERE namespace = $1 AND name = $2 AND deleted_at IS NULL
  ON CONFLICT DO NOTHING RETURNING task_id, until_at
), skipped AS (
  UPDATE run r SET state = 'skipped', reason = $5, finished_at = now() FROM paused p
  WHERE r.task_id = p.task_id AND r.scheduled_for >= now() AND (p.until_at IS NULL OR r.scheduled_for < p.until_at)
    AND r.origin = 'chain' AND r.ordinal = -1 AND r.attempt = 0 AND r.state IN ('planned', 'queued')
), noted AS (
  ${noteAction({
    by: '$4',
    action: "'pause'",
    subject: "'task:' || $2::text",
    detail: "jsonb_build_object('until', until_at)",
    from: 'paused',
  })}
)
SELECT pg_notify($6, $1) FROM paused`;

/**
 * Ends a task's pauses, and forgets what a run has decided about the next one: the schedule goes on. Returns how many
 * pauses there were; null: there is no such task.
 */
export async function resumeTask(db: Database, name: string, by: By): Promise<number | null> {
  const [row] = await query<{ found: boolean; ended: number }>(db.pool, 'resume_task', RESUME_TASK, [
    db.namespace,
    name,
    'the task was resumed',
    WAKE_CHANNEL,
    toActing(by),
  ]);
  return row?.found ? row.ended : null;
}

// The function ends the pauses that runs have decided: no row is changed twice in one statement. The column keeps whole milliseconds: rounded up,
// a pause would go on for a moment after this.
const RESUME_TASK = `
WITH found AS (SELECT id FROM task WHERE namespace = $1 AND name = $2 AND deleted_at IS NULL),
open AS MATERIALIZED (
  SELECT p.id, p.task_id, p.run_id FROM task_pause p JOIN found f ON f.id = p.task_id
  WHERE p.until_at IS NULL OR p.until_at > now()
), ended AS (
  UPDATE task_pause p SET until_at = GREATEST(date_trunc('milliseconds', now()), p.from_at) FROM open o WHERE p.id = o.id AND o.run_id IS NULL
), forgotten AS MATERIALIZED (
  -- Equivalent mutant (distinct removed): a second forget_next for a task changes nothing.
  SELECT forget_next(task_id, $3) FROM (SELECT DISTINCT task_id FROM open WHERE run_id IS NOT NULL) o
), noted AS (
  ${noteAction({
    by: '$5',
    action: "'resume'",
    subject: "'task:' || $2::text",
    from: '(SELECT WHERE EXISTS (SELECT FROM open)) o',
  })}
)
SELECT EXISTS (SELECT FROM found) AS found, (SELECT count(*) FROM open)::integer AS ended,
  (SELECT count(*) FROM forgotten) AS forgotten, pg_notify($4, $1) AS woken`;

/** How many of these pauses there are. */
export async function countPauses(db: Database, ids: readonly string[]): Promise<number> {
  const [row] = await query<{ count: number }>(
    db.pool,
    'count_pauses',
    `SELECT count(*)::integer AS count FROM task_pause p JOIN task t ON t.id = p.task_id
     WHERE t.namespace = $1 AND p.id = ANY ($2::uuid[])`,
    [db.namespace, ids],
  );
  return row?.count ?? 0;
}

/** Those of the tasks that are paused now or later, or whose next run was decided by a run: what `resumeTask` ends. */
export async function pausedTasks(db: Database, names: readonly string[]): Promise<Set<string>> {
  const rows = await query<{ name: string }>(
    db.pool,
    'paused_tasks',
    `SELECT t.name FROM task t WHERE t.namespace = $1 AND t.name = ANY ($2::text[]) AND t.deleted_at IS NULL
       AND EXISTS (SELECT FROM task_pause p WHERE p.task_id = t.id AND (p.until_at IS NULL OR p.until_at > now()))`,
    [db.namespace, names],
  );
  return new Set(rows.map(({ name }) => name));
}
