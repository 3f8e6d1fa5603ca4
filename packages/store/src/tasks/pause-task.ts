import { type Database, query } from '../database.ts';
import { WAKE_CHANNEL } from '../runs/trigger-run.ts';

export interface PauseRequest {
  name: string;
  /** Null: until resumed. */
  untilAt: Date | null;
  note: string | undefined;
  who: string;
}

/** Pauses a task from now on, and tells the schedulers. False: there is no such task. */
export async function pauseTask(db: Database, request: PauseRequest): Promise<boolean> {
  const rows = await query(
    db.pool,
    'pause_task',
    `INSERT INTO task_pause (task_id, from_at, until_at, note, created_by)
     SELECT id, now(), $3, $4, $5 FROM task WHERE namespace = $1 AND name = $2 AND deleted_at IS NULL
     RETURNING pg_notify($6, $1)`,
    [
      db.namespace,
      request.name,
      request.untilAt?.toISOString() ?? null,
      request.note ?? null,
      request.who,
      WAKE_CHANNEL,
    ],
  );
  return rows.length > 0;
}

/** Ends a task's pauses, and tells the schedulers. Returns how many there were; null: there is no such task. */
export async function resumeTask(db: Database, name: string): Promise<number | null> {
  const [row] = await query<{ found: boolean; ended: number }>(
    db.pool,
    'resume_task',
    `WITH found AS (SELECT id FROM task WHERE namespace = $1 AND name = $2 AND deleted_at IS NULL),
     ended AS (
       UPDATE task_pause p SET until_at = GREATEST(now(), p.from_at) FROM found f
       WHERE p.task_id = f.id AND (p.until_at IS NULL OR p.until_at > now())
       RETURNING 1
     )
     SELECT EXISTS (SELECT FROM found) AS found, (SELECT count(*) FROM ended)::integer AS ended, pg_notify($3, $1) AS woken`,
    [db.namespace, name, WAKE_CHANNEL],
  );
  return row?.found ? row.ended : null;
}
