import type { CancelRequest, Delivery } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { toCancelRequest } from './cancel-run.ts';

/** A running run that nobody may be running. */
export interface LostRun {
  runId: string;
  scheduledFor: Date;
  dispatch: number;
  attempt: number;
  lost: number;
  uncounted: number;
  worker: string;
  key: string;
  /** Null: its task allows overlap. */
  slot: number | null;
  /** Its worker has shut down, is not known any more, or does not list it: nobody runs it, that is certain. */
  forsaken: boolean;
  /** For how long its worker has not sent a heartbeat. Milliseconds. */
  silentMs: number;
  /** Its worker lives, shut down, or has other runs, which may have taken it down as well. */
  shared: boolean;
  /** Attempts of it that lost their worker before. */
  before: number;
  fence: bigint;
  taskId: string;
  taskVersion: number;
  /** Read without the rest of the definition, which may be one that this version cannot read. */
  delivery: Delivery;
  /** Null: nobody wants it cancelled. */
  cancel: CancelRequest | null;
  /** The span that it continues; null: its trace begins with it. */
  traceparent: string | null;
  dueAt: Date;
  startedAt: Date;
}

/**
 * Runs whose worker has not sent a heartbeat for `silentMs`, has gone, or lives but has left them out of its last two heartbeats (a
 * begin or finish whose reply was lost).
 */
export async function lostRuns(db: Database, options: { silentMs: number; limit: number }): Promise<LostRun[]> {
  const rows = await query<{
    id: string;
    scheduled_for: Date;
    dispatch: number;
    attempt: number;
    lost: number;
    uncounted: number;
    worker: string;
    key: string;
    slot: number | null;
    forsaken: boolean;
    silent_ms: number;
    shared: boolean;
    before: number;
    fence: bigint;
    task_id: string;
    task_version: number;
    delivery: Delivery;
    cancel_requested: boolean;
    cancel_requested_by: string | null;
    cancel_reason: string | null;
    traceparent: string | null;
    due_at: Date;
    started_at: Date;
  }>(db.hot, 'lost_runs', LOST_RUNS, [db.namespace, options.silentMs, options.limit, db.openFrom.runs]);
  return rows.map((row) => ({
    runId: row.id,
    scheduledFor: row.scheduled_for,
    dispatch: row.dispatch,
    attempt: row.attempt,
    lost: row.lost,
    uncounted: row.uncounted,
    worker: row.worker,
    key: row.key,
    slot: row.slot,
    forsaken: row.forsaken,
    silentMs: row.silent_ms,
    shared: row.shared,
    before: row.before,
    fence: row.fence,
    taskId: row.task_id,
    taskVersion: row.task_version,
    delivery: row.delivery,
    traceparent: row.traceparent,
    dueAt: row.due_at,
    startedAt: row.started_at,
    cancel: row.cancel_requested ? toCancelRequest(row) : null,
  }));
}

// In no order among the silent ones: many that are still proven otherwise must not hide the others behind the limit.
// A definition that says nothing was saved before it could; one that says what is not known here may mean at-most-once.
const LOST_RUNS = `
-- Equivalent mutant (predicate removed, lost.attempt): it saves a read: a run at its first attempt has no row of an earlier one.
-- Equivalent mutant (border): it saves a read: a run at its first attempt has no row of an earlier one.
SELECT lost.*, (SELECT count(*) FROM attempt a WHERE lost.attempt > 1 AND a.run_id = lost.id
  AND a.scheduled_for = lost.scheduled_for AND a.outcome = 'lost')::integer AS before
FROM (SELECT r.id, r.scheduled_for, r.dispatch, r.attempt, r.lost, r.uncounted, r.worker, r.key, r.slot, r.fence, r.task_id, r.task_version,
  CASE WHEN v.task_id IS NOT NULL AND coalesce(v.definition->>'delivery', 'at-least-once') = 'at-least-once'
    THEN 'at-least-once' ELSE 'at-most-once' END AS delivery,
  r.cancel_requested_at IS NOT NULL AS cancel_requested, r.cancel_requested_by, r.cancel_reason, r.traceparent, r.due_at, r.started_at,
  p.id IS NULL OR p.stopped_at IS NOT NULL OR l.left_out AS forsaken,
  coalesce(extract(epoch FROM now() - p.heartbeat_at) * 1000, 0)::float8 AS silent_ms,
  p.stopped_at IS NOT NULL OR l.left_out OR coalesce(cardinality(array_remove(p.active_runs, r.id)) > 0, false)
    OR count(*) OVER (PARTITION BY r.worker) > 1 AS shared
FROM run r
LEFT JOIN process p ON p.id = r.worker AND p.namespace = r.namespace
CROSS JOIN LATERAL (SELECT coalesce(r.started_at < p.prev_heartbeat_at AND r.id <> ALL (p.active_runs) AND r.id <> ALL (p.prev_active_runs),
  false) AS left_out) l
LEFT JOIN task_version v ON v.task_id = r.task_id AND v.version = r.task_version
-- Equivalent mutant (predicate removed, r.phase): a run that is running is live: the phase is for the index.
WHERE r.phase = 'live' AND r.state = 'running' AND r.namespace = $1 AND r.due_at <= now() AND r.due_at >= $4
  AND (p.id IS NULL OR p.stopped_at IS NOT NULL OR p.heartbeat_at < now() - $2 * interval '1 ms' OR l.left_out)
ORDER BY forsaken DESC, random()
LIMIT $3) lost`;
