import { type Database, query } from '../database.ts';

export interface PauseRequest {
  name: string;
  /** Null: until resumed. */
  untilAt: Date | null;
  note: string | undefined;
  who: string;
}

/** Pauses a task from now on. False: there is no such task. */
export async function pauseTask(db: Database, request: PauseRequest): Promise<boolean> {
  const rows = await query(
    db.pool,
    'pause_task',
    `INSERT INTO task_pause (task_id, from_at, until_at, note, created_by)
     SELECT id, now(), $3, $4, $5 FROM task WHERE namespace = $1 AND name = $2 AND deleted_at IS NULL
     RETURNING 1`,
    [db.namespace, request.name, request.untilAt?.toISOString() ?? null, request.note ?? null, request.who],
  );
  return rows.length > 0;
}

/** Ends a task's pauses. Returns how many there were; null: there is no such task. */
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
     SELECT EXISTS (SELECT FROM found) AS found, (SELECT count(*) FROM ended)::integer AS ended`,
    [db.namespace, name],
  );
  return row?.found ? row.ended : null;
}
