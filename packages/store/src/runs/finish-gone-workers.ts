import { randomUUID } from 'node:crypto';
import { goneReason, type RunState, type WorkerAway } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { workerAway } from '../processes/worker-away.ts';
import { workerOf } from '../processes/worker-of.ts';
import { finishRuns } from './finish-runs.ts';

/** A run that belongs to a worker which nobody expects any more. */
export interface RunOfGoneWorker {
  id: string;
  scheduled_for: Date;
  state: RunState;
  dispatch: number;
  attempt: number;
  of_worker: string;
  away: WorkerAway | null;
}

/** Runs `r` that wait for one worker, and have for longer than a restart of it takes. The index run_of_worker serves it. */
export const WAITS_FOR_WORKER = `r.namespace = $1 AND r.need LIKE '%@%' AND r.phase IN ('live', 'untold', 'waiting')
  AND r.state <> 'running' AND r.due_at < now() - interval '1 min'`;

export async function findRunsOfGoneWorkers(db: Database, limit: number): Promise<RunOfGoneWorker[]> {
  return await query<RunOfGoneWorker & { [column: string]: unknown }>(db.pool, 'runs_of_gone_workers', RUNS_OF_GONE, [
    db.namespace,
    limit,
  ]);
}

/** Ends these runs, if they are as they were found: as missed what has not begun, else as failed. Returns how many. */
export async function finishRunsOfGoneWorkers(db: Database, rows: readonly RunOfGoneWorker[]): Promise<number> {
  const results = await finishRuns(
    db,
    rows.map((row) => ({
      runId: row.id,
      scheduledFor: row.scheduled_for,
      seen: row,
      fence: null,
      finishId: randomUUID(),
      verdict: {
        to: row.attempt === 0 ? ('missed' as const) : ('failed' as const),
        reason: goneReason(row.of_worker, row.away ?? { heardAt: null }, row.attempt),
        lost: false,
        uncounted: false,
      },
    })),
  );
  return results.filter((result) => result === 'applied').length;
}

// Asked of each pool and worker once, not of each run.
const RUNS_OF_GONE = `
WITH gone AS MATERIALIZED (
  SELECT a.pool, a.need FROM (SELECT DISTINCT r.pool, r.need FROM run r WHERE ${WAITS_FOR_WORKER}) a
  WHERE ${workerOf('a')} <> ALL (expected_workers($1, a.pool, NULL))
)
SELECT r.id, r.scheduled_for, r.state, r.dispatch, r.attempt, ${workerOf('r')} AS of_worker, ${workerAway('r')} AS away
FROM gone g JOIN run r ON r.need = g.need AND r.pool = g.pool WHERE ${WAITS_FOR_WORKER}
ORDER BY r.due_at LIMIT $2`;
