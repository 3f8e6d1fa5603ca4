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
  /** So many may wait for the key already; undefined: any number. */
  maxWaiting?: number | undefined;
  /** How long it is ready to wait, in milliseconds; undefined: as long as it takes. */
  maxWaitMs?: number | undefined;
}

export type WaitResult =
  /** It is in line; who frees the slot wakes it. */
  | { kind: 'waiting'; holder: string }
  /** There is room after all: begin it. */
  | { kind: 'free' }
  /** So many others wait already; `waiter` is the first of them. */
  | { kind: 'full'; holder: string; others: number; waiter: string }
  /** A newer run of the key takes its place. */
  | { kind: 'replaced'; by: string }
  /** It is not as it had been seen. */
  | { kind: 'stale' };

/**
 * Puts a run whose key is busy into the line (SQL function wait_run). Judged under the locks of the key's slots, so that
 * a holder that ends at the same moment either is seen to be gone or sees the run waiting. A run that replaces asks the
 * one at work to stop.
 */
export async function waitRun(db: Database, request: WaitRequest): Promise<WaitResult> {
  const [row] = await query<WaitRow>(db.hot, 'wait_run', WAIT_RUN, [
    request.runId,
    request.scheduledFor.toISOString(),
    request.seen.state,
    request.seen.dispatch,
    request.seen.attempt,
    request.dispatch,
    request.maxWaiting ?? null,
    request.maxWaitMs ?? null,
    CANCEL_CHANNEL,
  ]);
  if (!row || row.result === 'stale') return { kind: 'stale' };
  const { result: kind, holder, others, waiter } = row;
  if (kind === 'waiting' && holder) return { kind, holder };
  if (kind === 'full' && holder && waiter) return { kind, holder, others, waiter };
  if (kind === 'replaced' && holder) return { kind, by: holder };
  return { kind: 'free' };
}

interface WaitRow {
  result: WaitResult['kind'];
  holder: string | null;
  others: number;
  waiter: string | null;
}

const WAIT_RUN = `SELECT result, holder, others, waiter
FROM wait_run($1, $2, $3, $4::integer, $5::integer, $6::integer, $7::integer, $8::bigint, $9)`;
