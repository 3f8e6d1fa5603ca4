import { type Database, query } from '../database.ts';
import type { DispatchableRun } from './plan-runs.ts';

/** The runs the queue should hold, by due time, after a cursor. */
export async function queuedRuns(
  db: Database,
  options: { after: { dueAt: Date; id: string } | undefined; limit: number },
): Promise<DispatchableRun[]> {
  const rows = await query<QueuedRow>(
    db.hot,
    'queued_runs',
    `SELECT id, scheduled_for, pool, due_at, dispatch FROM run
     WHERE namespace = $1 AND phase = 'live' AND state = 'queued' AND (due_at, id) > ($2::timestamptz, $3::uuid)
     ORDER BY due_at, id LIMIT $4`,
    [
      db.namespace,
      options.after?.dueAt.toISOString() ?? '-infinity',
      options.after?.id ?? '00000000-0000-0000-0000-000000000000',
      options.limit,
    ],
  );
  return rows.map(toRun);
}

/** The runs that should have begun so long ago, the oldest first. */
export async function overdueRuns(
  db: Database,
  options: { overdueMs: number; limit: number },
): Promise<DispatchableRun[]> {
  const rows = await query<QueuedRow>(
    db.hot,
    'queued_and_overdue',
    `SELECT id, scheduled_for, pool, due_at, dispatch FROM run
     WHERE namespace = $1 AND phase = 'live' AND state = 'queued' AND due_at < now() - $2 * interval '1 ms'
     ORDER BY due_at, id LIMIT $3`,
    [db.namespace, options.overdueMs, options.limit],
  );
  return rows.map(toRun);
}

interface QueuedRow {
  id: string;
  scheduled_for: Date;
  pool: string;
  due_at: Date;
  dispatch: number;
}

function toRun(row: QueuedRow): DispatchableRun {
  return {
    id: row.id,
    scheduledFor: row.scheduled_for,
    pool: row.pool,
    dueAt: row.due_at,
    dispatch: row.dispatch,
  };
}
