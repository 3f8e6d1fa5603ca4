import type { Json, NotifyPolicy, RunError } from '@escapement/core';
import { type Database, query } from './database.ts';

/** A final failure that somebody is to hear of. */
export interface PendingNotice {
  id: bigint;
  tries: number;
  /** Recipients that already have it. */
  delivered: string[];
  /** Recipients that never can have it. */
  givenUp: string[];
  run: {
    id: string;
    taskName: string;
    namespace: string;
    state: string;
    reason: string | null;
    attempt: number;
    scheduledFor: Date;
    startedAt: Date | null;
    finishedAt: Date | null;
    worker: string | null;
    exitCode: number | null;
    error: RunError | null;
    payload: Json | null;
    /** Why its task was paused by its end; null: it was not. */
    pausedTask: string | null;
  };
  notify: NotifyPolicy | null;
}

interface NoticeRow {
  id: bigint;
  tries: number;
  delivered: string[];
  given_up: string[];
  run_id: string;
  task_name: string;
  namespace: string;
  state: string;
  reason: string | null;
  attempt: number;
  scheduled_for: Date;
  started_at: Date | null;
  finished_at: Date | null;
  worker: string | null;
  exit_code: number | null;
  error: RunError | null;
  payload: Json | null;
  paused_task: string | null;
  notify: NotifyPolicy | null;
}

/** Takes notices that are due; each stays this scheduler's for `claimMs`, then it is due again. */
export async function takeNotices(db: Database, options: { limit: number; claimMs: number }): Promise<PendingNotice[]> {
  const rows = await query<NoticeRow>(db.pool, 'take_notices', TAKE_NOTICES, [
    db.namespace,
    options.limit,
    options.claimMs,
  ]);
  return rows.map((row) => ({
    id: row.id,
    tries: row.tries,
    delivered: row.delivered,
    givenUp: row.given_up,
    notify: row.notify,
    run: {
      id: row.run_id,
      taskName: row.task_name,
      namespace: row.namespace,
      state: row.state,
      reason: row.reason,
      attempt: row.attempt,
      scheduledFor: row.scheduled_for,
      startedAt: row.started_at,
      finishedAt: row.finished_at,
      worker: row.worker,
      exitCode: row.exit_code,
      error: row.error,
      payload: row.payload,
      pausedTask: row.paused_task,
    },
  }));
}

const TAKE_NOTICES = `
WITH due AS (
  SELECT id FROM notice WHERE namespace = $1 AND state = 'pending' AND try_at <= now()
  ORDER BY try_at LIMIT $2 FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE notice n SET tries = n.tries + 1, try_at = now() + $3 * interval '1 ms' FROM due WHERE n.id = due.id
  RETURNING n.*
)
SELECT n.id, n.tries, n.delivered, n.given_up, r.id AS run_id, t.name AS task_name, r.namespace, r.state, r.reason, r.attempt,
  r.scheduled_for, r.started_at, r.finished_at, r.worker, r.exit_code, r.error, r.payload, v.definition->'notify' AS notify,
  (SELECT p.note FROM task_pause p WHERE p.task_id = r.task_id AND p.failures IS NOT NULL AND p.created_by = 'run:' || r.id LIMIT 1) AS paused_task
FROM taken n
JOIN run r ON r.id = n.run_id AND r.scheduled_for = n.scheduled_for
JOIN task t ON t.id = r.task_id
JOIN task_version v ON v.task_id = r.task_id AND v.version = r.task_version`;

export interface NoticeResult {
  id: bigint;
  state: 'sent' | 'dropped' | 'pending';
  delivered: readonly string[];
  givenUp: readonly string[];
  /** With `pending`: wait before the next try. */
  retryInMs: number;
  error: string | null;
}

/** Records what became of a notice. */
export async function recordNotice(db: Database, result: NoticeResult): Promise<void> {
  await query(
    db.pool,
    'record_notice',
    `UPDATE notice SET state = $2, delivered = $3, error = $4, try_at = now() + $5 * interval '1 ms',
       given_up = $6 WHERE namespace = $7 AND id = $1`,
    [
      result.id.toString(),
      result.state,
      result.delivered,
      result.error,
      result.retryInMs,
      result.givenUp,
      db.namespace,
    ],
  );
}
