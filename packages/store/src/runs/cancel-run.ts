import {
  type By,
  CANCELLABLE_STATES,
  type CancelRequest,
  cancelledReason,
  isRunId,
  type RunState,
  scheduledForOf,
} from '@escapement/core';
import { nameIn, noteAction, reasonIn, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { isCancelled, isOpen } from './admission.ts';
import { finishAsFound } from './finish-as-found.ts';
import { findRun } from './read-runs.ts';

/** Hint for workers that a run of theirs is to be cancelled; nothing depends on its arrival. */
export const CANCEL_CHANNEL = 'escapement_cancel';

export type CancelResult =
  /** It had not begun, or was between attempts: it has ended. */
  | { kind: 'cancelled' }
  /** The worker that runs it will stop it; one that is between two states ends with the reconciler's next pass. */
  | { kind: 'requested' }
  /** It has ended already, or is `unknown`, which only a person resolves. */
  | { kind: 'too_late'; state: RunState }
  | { kind: 'not_found' };

/** Times to start over because the run moved on meanwhile. */
const MAX_RACES = 5;

/**
 * Asks for the end of a run. From here on no attempt of it begins. What nobody runs ends at once; a running one is
 * stopped by its worker. Repeated it changes nothing: the first request's words stay.
 */
export async function requestCancel(db: Database, runId: string, by: By): Promise<CancelResult> {
  if (!isRunId(runId)) return { kind: 'not_found' };
  for (let race = 0; race < MAX_RACES; race++) {
    const [row] = await query<OpenRun & { [column: string]: unknown }>(db.pool, 'request_cancel', REQUEST_CANCEL, [
      db.namespace,
      runId,
      scheduledForOf(runId).toISOString(),
      toActing(by),
      CANCELLABLE_STATES,
      CANCEL_CHANNEL,
    ]);
    if (!row) return await whyNotOpen(db, runId, race > 0);
    if (row.state === 'running') return { kind: 'requested' };
    if ((await finishCancelledRuns(db, [row])) === 1) return { kind: 'cancelled' };
  }
  return { kind: 'requested' };
}

/**
 * Runs that are to be cancelled and that nobody runs: those whose attempt ended before its worker had heard, or whose
 * request was cut short.
 */
export async function findCancelledRuns(db: Database, limit: number): Promise<OpenRun[]> {
  return await query<OpenRun & { [column: string]: unknown }>(db.pool, 'cancel_requested', CANCEL_REQUESTED, [
    db.namespace,
    limit,
  ]);
}

/** Ends these runs as cancelled, if they are as they were found. Returns how many. */
export async function finishCancelledRuns(db: Database, rows: readonly OpenRun[]): Promise<number> {
  return await finishAsFound(db, rows, (row) => ({ to: 'cancelled', reason: reasonOf(row) }));
}

/**
 * The requests for those of the given runs that are running and to be cancelled, or were ended as cancelled over the
 * head of their worker; by the id of the run.
 */
export async function cancelRequests(db: Database, runIds: readonly string[]): Promise<Map<string, CancelRequest>> {
  const rows = await query<RequestRow & { id: string }>(db.hot, 'cancel_requests', CANCEL_REQUESTS, [
    runIds,
    runIds.map((id) => scheduledForOf(id).toISOString()),
    db.namespace,
  ]);
  return new Map(rows.map((row) => [row.id, toCancelRequest(row)]));
}

interface RequestRow {
  cancel_requested_by: string | null;
  cancel_reason: string | null;
}

/** A run that is to be cancelled, as it was seen. */
export interface OpenRun extends RequestRow {
  id: string;
  scheduled_for: Date;
  state: RunState;
  dispatch: number;
  attempt: number;
}

export function toCancelRequest(row: RequestRow): CancelRequest {
  return { who: row.cancel_requested_by, reason: row.cancel_reason };
}

function reasonOf(row: OpenRun): string {
  return cancelledReason(toCancelRequest(row), row.attempt === 0 ? 'before it started' : 'between attempts');
}

async function whyNotOpen(db: Database, runId: string, asked: boolean): Promise<CancelResult> {
  const run = await findRun(db, runId);
  if (!run) return { kind: 'not_found' };
  // A worker or the reconciler has done what was asked for just now.
  if (asked && run.state === 'cancelled') return { kind: 'cancelled' };
  return { kind: 'too_late', state: run.state };
}

const REQUEST_CANCEL = `
WITH open AS MATERIALIZED (
  SELECT r.id, r.scheduled_for, r.cancel_requested_at IS NULL AS is_first FROM run r
  WHERE r.namespace = $1 AND r.id = $2 AND r.scheduled_for = $3 AND r.state = ANY ($5::text[])
  FOR UPDATE
), asked AS (
  UPDATE run r SET cancel_requested_at = coalesce(r.cancel_requested_at, now()),
    cancel_requested_by = CASE WHEN r.cancel_requested_at IS NULL THEN ${nameIn('$4')} ELSE r.cancel_requested_by END,
    cancel_reason = CASE WHEN r.cancel_requested_at IS NULL THEN ${reasonIn('$4')} ELSE r.cancel_reason END
  FROM open o WHERE r.id = ANY (ARRAY[o.id]) AND r.scheduled_for = o.scheduled_for
  RETURNING r.id, r.scheduled_for, r.state, r.dispatch, r.attempt, r.cancel_requested_by, r.cancel_reason
), noted AS (
  -- The first request, whose words stay.
  ${noteAction({
    by: '$4',
    action: "'cancel'",
    subject: "'run:' || a.id",
    from: '(SELECT id FROM open WHERE is_first) a',
  })}
), told AS (
  SELECT pg_notify($6, $1) FROM asked WHERE state = 'running'
)
SELECT asked.*, (SELECT count(*) FROM told) FROM asked`;

const CANCEL_REQUESTED = `
SELECT id, scheduled_for, state, dispatch, attempt, cancel_requested_by, cancel_reason FROM run r
WHERE namespace = $1 AND ${isCancelled('r')} AND ${isOpen('r')} AND state <> 'running'
LIMIT $2`;

const CANCEL_REQUESTS = `
SELECT r.id, r.cancel_requested_by, r.cancel_reason
FROM unnest($1::uuid[], $2::timestamptz[]) AS i(run_id, scheduled_for)
JOIN run r ON r.id = ANY (ARRAY[i.run_id]) AND r.scheduled_for = i.scheduled_for
WHERE r.namespace = $3 AND r.state IN ('running', 'cancelled') AND r.cancel_requested_at IS NOT NULL`;
