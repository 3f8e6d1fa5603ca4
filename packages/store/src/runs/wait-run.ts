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
  /** It is in line; who frees the slot wakes it. */
  | { kind: 'waiting'; holder: string }
  /** There is room after all: begin it. */
  | { kind: 'free' }
  /** It has ended: so many wait already, or a newer run takes its place. */
  | { kind: 'skipped'; holder: string; reason: string }
  /** It is not as it had been seen. */
  | { kind: 'stale' };

/**
 * Puts a run whose key is busy into the line, or skips it (SQL function wait_run). Judged under the locks of the key's slots, so that
 * a holder that ends at the same moment is seen to be gone, or sees the run waiting. A run that replaces asks the
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
  const { result: kind, holder, reason } = row;
  if (kind === 'waiting' && holder) return { kind, holder };
  if (kind === 'skipped' && holder && reason) return { kind, holder, reason };
  return { kind: 'free' };
}

interface WaitRow {
  result: WaitResult['kind'];
  holder: string | null;
  reason: string | null;
}

const WAIT_RUN = `SELECT result, holder, reason
FROM wait_run($1, $2, $3, $4::integer, $5::integer, $6::integer, $7::integer, $8::bigint, $9)`;
