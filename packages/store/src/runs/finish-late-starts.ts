import { randomUUID } from 'node:crypto';
import { type RunState, startMissedReason, startObstacle } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { poolPauseNote } from '../pools/pause-of-pool.ts';
import { isServed } from '../processes/can-serve.ts';
import { hasMissedStart, hasNotBegun } from './admission.ts';
import { finishRuns } from './finish-runs.ts';
import { WITHOUT_SLOT } from './overlap-policies.ts';

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
}

/** Runs that have not started by their start deadline. A worker that has not sent a heartbeat for `deadMs` takes no runs. */
export async function findLateStarts(db: Database, options: { limit: number; deadMs: number }): Promise<LateStart[]> {
  return await query<LateStart & { [column: string]: unknown }>(db.pool, 'late_starts', LATE_STARTS, [
    db.namespace,
    options.limit,
    options.deadMs,
  ]);
}

/** Ends these runs as missed, if they are as they were found. Returns how many. */
export async function finishLateStarts(db: Database, rows: readonly LateStart[]): Promise<number> {
  const results = await finishRuns(
    db,
    rows.map((row) => ({
      runId: row.id,
      scheduledFor: row.scheduled_for,
      seen: row,
      fence: null,
      finishId: randomUUID(),
      verdict: { to: 'missed', reason: reasonOf(row), lost: false, spared: false },
      ...(row.holder === null ? {} : { blockedBy: row.holder }),
    })),
  );
  return results.filter((result) => result === 'applied').length;
}

function reasonOf(row: LateStart): string {
  const obstacle = startObstacle({ ...row, overRate: row.over_rate, poolPauseNote: row.pool_pause_note });
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
  ${isServed('r', '$3')} AS served, r.need
FROM run r
WHERE r.namespace = $1 AND ${hasMissedStart('r')} AND ${hasNotBegun('r')}
ORDER BY r.start_by LIMIT $2`;
