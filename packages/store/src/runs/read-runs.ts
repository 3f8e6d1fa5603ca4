import {
  isRunId,
  type Json,
  type Progress,
  type RunError,
  type RunOrigin,
  type RunState,
  scheduledForOf,
} from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { workerOf } from '../processes/worker-of.ts';

/** A row of the ledger, as people look at it. */
export interface RunView {
  id: string;
  taskName: string;
  taskVersion: number;
  origin: RunOrigin;
  state: RunState;
  reason: string | null;
  scheduledFor: Date;
  /** When its row was made. */
  createdAt: Date;
  dueAt: Date;
  /** The start deadline of its first attempt; null: it has none. */
  startBy: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  key: string;
  /** The key was given for this run, and is not that of its task. */
  ownKey: boolean;
  pool: string;
  /** 0: not begun yet. */
  attempt: number;
  lost: number;
  worker: string | null;
  /** The name of the worker that it belongs to, by the `runOn` of its task; null: to none. */
  ofWorker: string | null;
  fence: bigint | null;
  exitCode: number | null;
  error: RunError | null;
  output: Json | null;
  /** What the present or last attempt said last of how far it was. */
  progress: (Progress & { at: Date }) | null;
  /** The run's own; null: the task's. */
  payload: Json | null;
  requestedBy: string | null;
  cancelRequestedAt: Date | null;
  cancelRequestedBy: string | null;
  /** What the one who asked for the cancellation said. */
  cancelReason: string | null;
  /** The run that held the key, or holds it while this one waits. */
  blockedBy: string | null;
  /** Since when it waits for its key, or has waited. */
  waitingSince: Date | null;
  /** How long it is ready to; null: as long as it takes. */
  waitUntil: Date | null;
  rerunOf: string | null;
  /** The run that it follows, or is a child of. */
  causeRunId: string | null;
  /** The span that its trace continues, by W3C Trace Context; null: its trace begins with it. */
  traceparent: string | null;
  /** With `occurrences` above 1: the row stands for a stretch up to here. */
  untilAt: Date | null;
  occurrences: number;
}

/** The run of an id. Null: there is none, or the pruner took it. */
export async function findRun(db: Database, id: string): Promise<RunView | null> {
  if (!isRunId(id)) return null;
  const [row] = await query<RunRow>(db.hot, 'find_run', FIND_RUN, [db.namespace, id, scheduledForOf(id).toISOString()]);
  return row ? toRunView(row) : null;
}

/** Ids that begin with these hexadecimal digits (at most 32), the earliest first. */
export async function runIdsFrom(db: Database, digits: string, limit: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db.pool,
    'run_ids_from',
    `SELECT id FROM any_run WHERE namespace = $1 AND id >= rpad($2, 32, '0')::uuid AND id <= rpad($2, 32, 'f')::uuid ORDER BY id LIMIT $3`,
    [db.namespace, digits, limit],
  );
  return rows.map(({ id }) => id);
}

export interface RunRow {
  id: string;
  task_name: string;
  task_version: number;
  origin: RunOrigin;
  state: RunState;
  reason: string | null;
  scheduled_for: Date;
  created_at: Date;
  due_at: Date;
  start_by: Date | null;
  started_at: Date | null;
  finished_at: Date | null;
  key: string;
  own_key: boolean;
  pool: string;
  attempt: number;
  lost: number;
  worker: string | null;
  of_worker: string | null;
  fence: bigint | null;
  exit_code: number | null;
  error: RunError | null;
  output: Json | null;
  progress: (Progress & { at: string; attempt: number }) | null;
  payload: Json | null;
  requested_by: string | null;
  cancel_requested_at: Date | null;
  cancel_requested_by: string | null;
  cancel_reason: string | null;
  blocked_by: string | null;
  waiting_since: Date | null;
  wait_until: Date | null;
  rerun_of: string | null;
  cause_run_id: string | null;
  traceparent: string | null;
  until_at: Date | null;
  occurrences: number;
}

/** A run `r` of the task `t`, as people look at it. */
export const RUN_VIEW = `r.id, t.name AS task_name, r.task_version, r.origin, r.state, r.reason, r.scheduled_for, r.created_at, r.due_at,
  r.start_by, r.progress, r.started_at, r.finished_at, r.key, r.own_key, r.pool, r.attempt, r.lost, r.worker, ${workerOf('r')} AS of_worker, r.fence, r.exit_code, r.error, r.output,
  r.payload, r.requested_by, r.cancel_requested_at, r.cancel_requested_by, r.cancel_reason, r.blocked_by, r.waiting_since, r.wait_until, r.rerun_of, r.cause_run_id, r.traceparent,
  r.until_at, r.occurrences`;

const FIND_RUN = `SELECT ${RUN_VIEW} FROM any_run r JOIN task t ON t.id = r.task_id
WHERE r.namespace = $1 AND r.id = $2 AND r.scheduled_for = $3`;

export function toRunView(row: RunRow): RunView {
  return {
    id: row.id,
    taskName: row.task_name,
    taskVersion: row.task_version,
    origin: row.origin,
    state: row.state,
    reason: row.reason,
    scheduledFor: row.scheduled_for,
    createdAt: row.created_at,
    dueAt: row.due_at,
    startBy: row.start_by,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    key: row.key,
    ownKey: row.own_key,
    pool: row.pool,
    attempt: row.attempt,
    lost: row.lost,
    worker: row.worker,
    ofWorker: row.of_worker,
    fence: row.fence,
    exitCode: row.exit_code,
    error: row.error,
    output: row.output,
    progress: progressOf(row),
    payload: row.payload,
    requestedBy: row.requested_by,
    cancelRequestedAt: row.cancel_requested_at,
    cancelRequestedBy: row.cancel_requested_by,
    cancelReason: row.cancel_reason,
    blockedBy: row.blocked_by,
    waitingSince: row.waiting_since,
    waitUntil: row.wait_until,
    rerunOf: row.rerun_of,
    causeRunId: row.cause_run_id,
    traceparent: row.traceparent,
    untilAt: row.until_at,
    occurrences: row.occurrences,
  };
}

function progressOf({ progress, attempt }: RunRow): RunView['progress'] {
  if (progress?.attempt !== attempt) return null;
  const { done, total, note, at } = progress;
  return { done, total, note, at: new Date(at) };
}
