import { goneReason, type WorkerAway } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { workerAway } from '../processes/worker-away.ts';
import { workerOf } from '../processes/worker-of.ts';
import { type FoundRun, finishAsFound } from './finish-as-found.ts';

/** A run that belongs to a worker which nobody expects any more. */
export interface RunOfGoneWorker extends FoundRun {
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
  return await finishAsFound(db, rows, ({ of_worker, away, attempt }) => ({
    to: attempt === 0 ? 'missed' : 'failed',
    reason: goneReason(of_worker, away ?? { heardAt: null }, attempt),
  }));
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
