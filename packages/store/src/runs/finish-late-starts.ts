import { randomUUID } from 'node:crypto';
import { type RunState, startMissedReason, startObstacle, type WorkerAway } from '@escapement/core';
import { poolPauseNote } from '../pools/pause-of-pool.ts';
import { type Database, query } from '../postgres/database.ts';
import { isServed } from '../processes/can-serve.ts';
import { workerAway } from '../processes/worker-away.ts';
import { hasMissedStart, hasNotBegun } from './admission.ts';
import type { BeginResult } from './begin-result.ts';
import { finishAsFound } from './finish-as-found.ts';
import { WITHOUT_SLOT } from './overlap-policies.ts';
import { whyNotBegun } from './why-not-begun.ts';

/** A run that has not started by its start deadline, as it was seen. */
export interface LateStart {
  id: string;
  scheduled_for: Date;
  state: RunState;
  dispatch: number;
  attempt: number;
  deadline_ms: number;
  late_ms: number;
  key: string;
  pool: string;
  pool_pause_note: string | null;
  holder: string | null;
  over_rate: string | null;
  served: boolean;
  need: string | null;
  worker_away: WorkerAway | null;
}

/** Runs that have not started by their start deadline. A worker that has not sent a heartbeat for `deadMs` takes no runs. */
export async function findLateStarts(db: Database, options: { limit: number; deadMs: number }): Promise<LateStart[]> {
  return await query<LateStart & { [column: string]: unknown }>(db.pool, 'late_starts', LATE_STARTS, [
    db.namespace,
    options.limit,
    options.deadMs,
  ]);
}

/**
 * Ends these runs, if they are as they were found: as missed, unless their task was edited, deleted or paused before. Returns
 * how many.
 */
export async function finishLateStarts(db: Database, rows: readonly LateStart[]): Promise<number> {
  const asked = rows.map((row) => ({ ...toSeen(row), beginId: randomUUID(), dispatch: jobOf(row), slot: null }));
  const ends = await whyNotBegun(db, asked);
  return await finishAsFound(db, rows, (row, index) => ({
    ...endOf(row, ends.get(asked[index]?.beginId ?? '')),
    holder: row.holder,
  }));
}

function toSeen(row: LateStart) {
  return { runId: row.id, scheduledFor: row.scheduled_for, seen: row };
}

/** The dispatch number of its job, or of the one that it would have next. */
function jobOf({ state, dispatch }: LateStart): number {
  return state === 'queued' ? dispatch : dispatch + 1;
}

function endOf(row: LateStart, begin: BeginResult | undefined): { to: RunState; reason: string } {
  // Only what no worker has looked at knows of more than its deadline.
  if (begin?.kind === 'ended' && begin.state !== 'missed') return { to: begin.state, reason: begin.reason };
  return { to: 'missed', reason: reasonOf(row) };
}

function reasonOf(row: LateStart): string {
  const obstacle = startObstacle({
    ...row,
    overRate: row.over_rate,
    poolPauseNote: row.pool_pause_note,
    workerAway: row.worker_away,
  });
  return startMissedReason({
    deadlineMs: row.deadline_ms,
    lateMs: row.late_ms,
    ...(obstacle === undefined ? {} : { obstacle }),
  });
}

const LATE_STARTS = `
SELECT r.id, r.scheduled_for, r.state, r.dispatch, r.attempt, r.key, r.pool, ${poolPauseNote('r')} AS pool_pause_note,
  round(extract(epoch FROM r.start_by - r.due_at) * 1000)::float8 AS deadline_ms,
  floor(extract(epoch FROM now() - r.due_at) * 1000)::float8 AS late_ms,
  (SELECT h.holder FROM key_holders(r.namespace, r.key, r.id) h
   WHERE r.overlap NOT IN ${WITHOUT_SLOT} AND h.taken >= least(r.key_limit, h.key_limit)) AS holder,
  CASE WHEN r.state = 'waiting' AND r.blocked_by IS NULL AND r.reason LIKE 'over the rate of %' THEN r.reason END AS over_rate,
  ${isServed('r', '$3')} AS served, r.need, ${workerAway('r')} AS worker_away
FROM run r
WHERE r.namespace = $1 AND ${hasMissedStart('r')} AND ${hasNotBegun('r')}
ORDER BY r.start_by LIMIT $2`;
