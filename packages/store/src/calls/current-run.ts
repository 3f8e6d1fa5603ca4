import { EscapementError } from '@escapement/core';
import type { Database } from '../postgres/database.ts';
import type { BegunRun } from '../runs/begin-result.ts';

/** A run as its worker began it. */
export type CallingRun = Pick<BegunRun, 'runId' | 'scheduledFor' | 'attempt' | 'fence'>;

/** As SQL takes it: `run_is_current($1, $2, $3, $4, $5)`, the last one the namespace. */
export function callingRun(db: Database, { runId, scheduledFor, attempt, fence }: CallingRun): unknown[] {
  return [runId, scheduledFor.toISOString(), attempt, fence.toString(), db.namespace];
}

/** The run has been taken for lost, or ended over its worker's head: another may be at work already. */
export function notCurrent({ runId, attempt }: CallingRun): EscapementError {
  return new EscapementError('run_not_current', `attempt ${attempt} of run ${runId} is not the current one any more`, {
    fix: 'end the handler when its signal is aborted',
  });
}
