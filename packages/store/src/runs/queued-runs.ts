import { isInPausedPool, restsNow } from '../pools/pause-of-pool.ts';
import { type Database, query } from '../postgres/database.ts';
import { IS_LEFT_TO_CATCH_UP } from './admission.ts';
import type { DispatchableRun } from './plan-runs.ts';

/** The runs that should have a job, by due time, after a cursor. */
export async function queuedRuns(
  db: Database,
  options: { after: RunCursor | undefined; limit: number },
): Promise<DispatchableRun[]> {
  const rows = await query<QueuedRow>(
    db.hot,
    'queued_runs',
    `SELECT id, scheduled_for, queue_of(pool, need) AS queue, due_at, dispatch FROM run
     WHERE namespace = $1 AND phase = 'live' AND state = 'queued' AND (due_at, id) > ($2::timestamptz, $3::uuid)
     ORDER BY due_at, id LIMIT $4`,
    [
      db.namespace,
      options.after?.dueAt.toISOString() ?? db.openFrom.runs,
      options.after?.id ?? '00000000-0000-0000-0000-000000000000',
      options.limit,
    ],
  );
  return rows.map(toRun);
}

/** A run by its place among the others: by due time, then by id. */
export interface RunCursor {
  dueAt: Date;
  id: string;
}

export interface OverdueOptions {
  /** Since they should have begun. Milliseconds. */
  overdueMs: number;
  /** At most so many. */
  limit: number;
  /** So many are looked at, those of paused pools too. */
  lookAt: number;
  /** Behind it; undefined: the oldest. */
  after?: RunCursor | undefined;
}

/**
 * The runs that should have begun so long ago, the oldest first; without those of paused pools, and without misfired ones, which
 * no worker begins before a scheduler has judged them. `next`: what was not looked at begins behind it, as runs of paused pools
 * stood before it; undefined: there is nothing, or no pool is paused.
 */
export async function overdueRuns(
  db: Database,
  { overdueMs, limit, lookAt, after }: OverdueOptions,
): Promise<{ runs: DispatchableRun[]; next: RunCursor | undefined }> {
  const rows = await query<QueuedRow & { is_end: boolean }>(db.hot, 'queued_and_overdue', OVERDUE, [
    db.namespace,
    overdueMs,
    after?.dueAt.toISOString() ?? db.openFrom.runs,
    after?.id ?? '00000000-0000-0000-0000-000000000000',
    lookAt,
    limit,
  ]);
  const runs = rows.filter((row) => !row.is_end).map(toRun);
  const end = rows.find((row) => row.is_end);
  const last = runs.length === limit ? runs.at(-1) : end && toRun(end);
  return { runs, next: end && last && { dueAt: last.dueAt, id: last.id } };
}

const OVERDUE_ONES = `
SELECT r.namespace, r.id, r.scheduled_for, r.pool, r.need, r.due_at, r.dispatch,
  CASE WHEN r.misfire_at < now() THEN ${IS_LEFT_TO_CATCH_UP} ELSE false END AS misfired FROM run r
WHERE r.namespace = $1 AND r.phase = 'live' AND r.state = 'queued' AND r.due_at < now() - $2 * interval '1 ms'
  AND (r.due_at, r.id) > ($3::timestamptz, $4::uuid)
ORDER BY r.due_at, r.id LIMIT $5::integer`;

// Each half reads no more rows than it needs: the first ends at its limit, the second is left out where no pool is paused.
const OVERDUE = `
(SELECT o.id, o.scheduled_for, queue_of(o.pool, o.need) AS queue, o.due_at, o.dispatch, false AS is_end FROM (${OVERDUE_ONES}) o
 WHERE NOT o.misfired AND NOT ${isInPausedPool('o')} ORDER BY o.due_at, o.id LIMIT $6)
UNION ALL
(SELECT o.id, o.scheduled_for, queue_of(o.pool, o.need) AS queue, o.due_at, o.dispatch, true FROM (${OVERDUE_ONES}) o
 WHERE EXISTS (SELECT FROM pool resting WHERE resting.namespace = $1 AND ${restsNow('resting')})
 ORDER BY o.due_at, o.id OFFSET $5::integer - 1 LIMIT 1)`;

interface QueuedRow {
  id: string;
  scheduled_for: Date;
  queue: string;
  due_at: Date;
  dispatch: number;
}

function toRun(row: QueuedRow): DispatchableRun {
  return {
    id: row.id,
    scheduledFor: row.scheduled_for,
    queue: row.queue,
    dueAt: row.due_at,
    dispatch: row.dispatch,
  };
}
