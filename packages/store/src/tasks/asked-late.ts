import { type Database, query } from '../postgres/database.ts';

/** Tasks a run of which has asked within the last hour for a next run at a date that had passed, by name. */
export async function tasksAskingLate(db: Database): Promise<string[]> {
  const rows = await query<{ name: string }>(
    db.pool,
    'tasks_asking_late',
    `SELECT t.name FROM task t WHERE t.namespace = $1 AND t.deleted_at IS NULL
       AND t.id IN (SELECT p.task_id FROM task_pause p WHERE p.asked_late AND p.created_at > now() - interval '1 hour')
     ORDER BY t.name`,
    [db.namespace],
  );
  return rows.map(({ name }) => name);
}
