import { type Database, query } from '../database.ts';
import type { SeenRun } from './begin-result.ts';
import { CANCEL_CHANNEL } from './cancel-run.ts';

export interface WaitRequest {
  runId: string;
  scheduledFor: Date;
  /** The run as the caller saw it. */
  seen: SeenRun;
  /** The dispatch number of the job in hand. */
  dispatch: number;
  /** So many may wait for the key already; 0: it does not wait itself; undefined: any number. */
  maxWaiting?: number | undefined;
  /** How long it is ready to wait, in milliseconds; undefined: as long as it takes. */
  maxWaitMs?: number | undefined;
}

export type WaitResult =
  /** It is in the wait queue; who frees the slot wakes it. Null: it waits for a token of a rate, and `reason` says which. */
  | { kind: 'waiting'; holder: string | null; reason?: string }
  /** There is room after all: begin it. */
  | { kind: 'free' }
  /** It has ended: so many wait already, or a newer run takes its place. Null: they wait for a rate. */
  | { kind: 'skipped'; holder: string | null; reason: string }
  /** It is not as it had been seen. */
  | { kind: 'stale' };

/**
 * Puts a run whose key is busy into the wait queue, or skips it (SQL function wait_run). Judged under the locks of the key's slots, so that
 * a holder that ends at the same moment is seen to be gone, or sees the run waiting. A run that replaces asks the
 * one at work to stop.
 */
export async function waitRun(db: Database, request: WaitRequest): Promise<WaitResult> {
  const [result] = await waitRuns(db, [request]);
  return result ?? { kind: 'stale' };
}

/** The same for several runs, none of which replaces, in one transaction; the results in the order asked. */
export async function waitRuns(db: Database, batch: readonly WaitRequest[]): Promise<WaitResult[]> {
  const rows = await query<WaitRow>(db.hot, 'wait_runs', WAIT_RUNS, [
    batch.map((each) => each.runId),
    batch.map((each) => each.scheduledFor.toISOString()),
    batch.map((each) => each.seen.state),
    batch.map((each) => each.seen.dispatch),
    batch.map((each) => each.seen.attempt),
    batch.map((each) => each.dispatch),
    batch.map((each) => each.maxWaiting ?? null),
    batch.map((each) => each.maxWaitMs ?? null),
    CANCEL_CHANNEL,
    db.namespace,
  ]);
  const answers = new Map(rows.map((row) => [row.place, toWaitResult(row)]));
  return batch.map((_, index) => answers.get(index + 1) ?? { kind: 'stale' });
}

interface WaitRow {
  place: number;
  result: WaitResult['kind'];
  holder: string | null;
  reason: string | null;
}

function toWaitResult({ result: kind, holder, reason }: WaitRow): WaitResult {
  if (kind === 'stale') return { kind };
  if (kind === 'waiting' && (holder || reason)) return { kind, holder, ...(reason === null ? {} : { reason }) };
  if (kind === 'skipped' && reason) return { kind, holder, reason };
  return { kind: 'free' };
}

// All runs are locked before the slots of any, each in key order, as in every statement: no deadlock.
const WAIT_RUNS = `
WITH input AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::integer[], $5::integer[], $6::integer[], $7::integer[], $8::bigint[])
    WITH ORDINALITY AS i(run_id, scheduled_for, state, dispatch, attempt, job_dispatch, max_waiting, max_wait_ms, place)
), locked AS MATERIALIZED (
  SELECT i.*, r.namespace, r.key FROM input i
  JOIN run r ON r.id = i.run_id AND r.scheduled_for = i.scheduled_for
  WHERE r.namespace = $10
  ORDER BY r.namespace, r.key, r.id
  FOR UPDATE OF r
)
SELECT i.place::integer AS place, w.result, w.holder, w.reason
FROM (SELECT * FROM locked ORDER BY namespace, key, run_id OFFSET 0) i
CROSS JOIN LATERAL wait_run(i.run_id, i.scheduled_for, i.state, i.dispatch, i.attempt, i.job_dispatch, i.max_waiting, i.max_wait_ms, $9) w`;
