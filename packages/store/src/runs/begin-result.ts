import type { Json, RunOrigin } from '@escapement/core';

export interface BeginRequest {
  runId: string;
  scheduledFor: Date;
  dispatch: number;
  /** Names this call: repeated with the same id it returns its first result. */
  beginId: string;
  key: string;
  /** The slot the lease is for; null where the task allows overlap and takes none. */
  slot: number | null;
  worker: string;
  /** Its start takes a token of its task's rate, its pool's, or both. Default false. */
  rated?: boolean;
  /** It begins after the earlier runs of its key (`wait-all`), and may begin together with them. Default false: after they have begun. */
  ordered?: boolean;
}

/** A run that is now ours. */
export interface BegunRun {
  runId: string;
  scheduledFor: Date;
  namespace: string;
  taskId: string;
  taskVersion: number;
  origin: RunOrigin;
  requestedBy: string | null;
  causeRunId: string | null;
  key: string;
  dispatch: number;
  attempt: number;
  lost: number;
  uncounted: number;
  fence: bigint;
  dueAt: Date;
  startedAt: Date;
  /** The batch that it is a child of. */
  batchId: string | null;
  /** The run's own payload; undefined: the task's. */
  payload: Json | undefined;
  /** How many links of a chain lead to it. */
  depth: number;
  /** The span that it continues; null: its trace begins with it. */
  traceparent: string | null;
  createdAt: Date;
}

export type BeginResult =
  | { kind: 'begun'; run: BegunRun }
  /** It is not as it was looked up, or what was in its way is gone: it is to be looked up again. */
  | { kind: 'changed' }
  /** Due later than now by Postgres' clock. */
  | { kind: 'early'; remainingMs: number }
  /**
   * Another open run has the slot. `anySlot`: it keeps this one from every slot, since it goes before by the order of the
   * key, or the key has as many holders as its task, or this one's, allows. No holder: a rate has no token for it.
   */
  | { kind: 'busy'; holder: string | null; anySlot: boolean }
  /** Must not run; to be ended as `state` for `reason`, if it is still as `seen`. */
  | {
      kind: 'ended';
      state: 'superseded' | 'skipped' | 'cancelled' | 'missed';
      reason: string;
      seen: SeenRun;
      /** The run that takes its place. */
      blockedBy?: string;
    }
  /** Its pool is paused: its job may go, the reconciler adds it again for when the pause is over. */
  | { kind: 'pool_paused'; pool: string }
  /** Too late to be started without the task's catch-up policy; a scheduler judges it. */
  | { kind: 'misfire' }
  /** Somebody else began or ended it, or the job is an old one. */
  | { kind: 'stale' };

/** A run as a statement saw it; what finishes it checks that it is still so. */
export interface SeenRun {
  state: string;
  dispatch: number;
  attempt: number;
}

export interface BegunRow {
  begin_id: string;
  id: string;
  scheduled_for: Date;
  namespace: string;
  task_id: string;
  task_version: number;
  origin: RunOrigin;
  requested_by: string | null;
  cause_run_id: string | null;
  key: string;
  dispatch: number;
  attempt: number;
  lost: number;
  uncounted: number;
  fence: bigint;
  due_at: Date;
  started_at: Date;
  batch_id: string | null;
  payload: Json | null;
  has_payload: boolean;
  depth: number;
  traceparent: string | null;
  created_at: Date;
}

export const BEGUN_COLUMNS = `r.begin_id, r.id, r.scheduled_for, r.namespace, r.task_id, r.task_version, r.origin, r.requested_by, r.cause_run_id,
  r.key, r.dispatch, r.attempt, r.lost, r.uncounted, r.fence, r.due_at, r.started_at, r.batch_id, r.payload,
  r.payload IS NOT NULL AS has_payload, r.depth, r.traceparent, r.created_at`;

export function toBegunRun(row: BegunRow): BegunRun {
  return {
    runId: row.id,
    scheduledFor: row.scheduled_for,
    namespace: row.namespace,
    taskId: row.task_id,
    taskVersion: row.task_version,
    origin: row.origin,
    requestedBy: row.requested_by,
    causeRunId: row.cause_run_id,
    key: row.key,
    dispatch: row.dispatch,
    attempt: row.attempt,
    lost: row.lost,
    uncounted: row.uncounted,
    fence: row.fence,
    dueAt: row.due_at,
    startedAt: row.started_at,
    batchId: row.batch_id,
    payload: row.has_payload ? row.payload : undefined,
    depth: row.depth,
    traceparent: row.traceparent,
    createdAt: row.created_at,
  };
}
