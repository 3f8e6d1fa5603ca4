import { type Database, query } from '../postgres/database.ts';

/** How many tasks, one apart, have their next start in the minute of an instant. */
export async function tasksInMinute(db: Database, at: Date, except: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    db.pool,
    'tasks_in_minute',
    `SELECT count(*)::integer AS count FROM (
       SELECT t.id FROM task_plan plan JOIN task t ON t.id = plan.task_id
       WHERE plan.namespace = $1 AND t.name <> $3 AND plan.next_run_at >= date_trunc('minute', $2::timestamptz)
         AND plan.next_run_at < date_trunc('minute', $2::timestamptz) + interval '1 minute'
       UNION
       SELECT r.task_id FROM run r JOIN task t ON t.id = r.task_id AND t.name <> $3
       WHERE r.namespace = $1 AND r.phase = 'live' AND r.state = 'queued' AND r.due_at >= date_trunc('minute', $2::timestamptz)
         AND r.due_at < date_trunc('minute', $2::timestamptz) + interval '1 minute'
     ) tasks`,
    [db.namespace, at.toISOString(), except],
  );
  return row?.count ?? 0;
}
