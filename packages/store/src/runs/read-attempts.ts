import { type RunError, scheduledForOf } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { isRunOf } from '../postgres/scope.ts';

/** An attempt that ended and was followed by another. */
export interface PastAttempt {
  attempt: number;
  outcome: 'failed' | 'timed_out' | 'lost' | 'interrupted';
  reason: string | null;
  worker: string | null;
  fence: bigint | null;
  startedAt: Date | null;
  finishedAt: Date;
  exitCode: number | null;
  error: RunError | null;
}

/** The earlier attempts of a run, in order; the latest one is on the run itself. */
export async function readAttempts(db: Database, runId: string): Promise<PastAttempt[]> {
  return await query<PastAttempt & { [column: string]: unknown }>(
    db.pool,
    'read_attempts',
    `SELECT attempt, outcome, reason, worker, fence, started_at AS "startedAt", finished_at AS "finishedAt",
       exit_code AS "exitCode", error
     FROM attempt WHERE run_id = $1 AND scheduled_for = $2 AND ${isRunOf('$3', '$1::uuid', '$2')} ORDER BY attempt`,
    [runId, scheduledForOf(runId).toISOString(), db.namespace],
  );
}
