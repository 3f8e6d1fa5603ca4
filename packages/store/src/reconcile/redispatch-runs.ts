import { type Database, query } from '../postgres/database.ts';
import { canServe } from '../processes/can-serve.ts';
import { isLive } from '../processes/is-live.ts';
import type { DispatchableRun } from '../runs/plan-runs.ts';

export interface StuckRun extends DispatchableRun {
  /** When a worker took its job, by that worker's clock; null: no worker has it. */
  takenAt: Date | null;
}

/**
 * Queues runs anew whose job does not move, under the next dispatch number: whatever becomes of the old job it begins
 * nothing. Left alone is one that somebody has begun or queued meanwhile, and one whose job may be in the hands of a
 * worker that lives: it lists the run in a heartbeat, or has not made two heartbeats since it may have taken the job. Returns
 * those that were queued anew, as they are now.
 */
export async function redispatchRuns(
  db: Database,
  runs: readonly StuckRun[],
  options: { deadMs: number },
): Promise<DispatchableRun[]> {
  const rows = await query<{ id: string; scheduled_for: Date; queue: string; due_at: Date; dispatch: number }>(
    db.hot,
    'redispatch_runs',
    REDISPATCH_RUNS,
    [
      runs.map((run) => run.id),
      runs.map((run) => run.scheduledFor.toISOString()),
      runs.map((run) => run.dispatch),
      runs.map((run) => run.takenAt?.toISOString() ?? null),
      options.deadMs,
      db.namespace,
    ],
  );
  return rows.map(({ scheduled_for: scheduledFor, due_at: dueAt, ...row }) => ({ ...row, scheduledFor, dueAt }));
}

// A second for clocks that differ, and for the way from Redis to the worker.
const REDISPATCH_RUNS = `
WITH input AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::timestamptz[])
    AS i(id, scheduled_for, dispatch, taken_at)
), picked AS MATERIALIZED (
  SELECT r.id, r.scheduled_for FROM input i
  JOIN run r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for
  WHERE r.namespace = $6 AND r.state = 'queued' AND r.dispatch = i.dispatch AND NOT EXISTS (
    SELECT FROM process p WHERE p.namespace = r.namespace AND ${canServe('p', 'r')}
      AND ${isLive('p', '$5')}
      AND (r.id = ANY (p.active_runs) OR r.id = ANY (p.prev_active_runs)
        OR i.taken_at IS NOT NULL AND p.started_at < i.taken_at + interval '1 s'
          AND coalesce(p.prev_heartbeat_at, '-infinity') < i.taken_at + interval '1 s'))
  ORDER BY r.namespace, r.key, r.id
  FOR UPDATE OF r SKIP LOCKED
)
UPDATE run r SET dispatch = r.dispatch + 1 FROM picked p
WHERE r.id = ANY (ARRAY[p.id]) AND r.scheduled_for = p.scheduled_for
RETURNING r.id, r.scheduled_for, queue_of(r.pool, r.need) AS queue, r.due_at, r.dispatch`;
