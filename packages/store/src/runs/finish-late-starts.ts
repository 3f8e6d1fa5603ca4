import { randomUUID } from 'node:crypto';
import { type RunState, startMissedReason, startObstacle } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { finishRuns } from './finish-runs.ts';

/** A worker that has not sent a heartbeat for so long takes no runs. */
const WORKER_SILENT_SECONDS = 30;

interface LateStartRow {
  id: string;
  scheduled_for: Date;
  state: RunState;
  dispatch: number;
  attempt: number;
  deadline_ms: number;
  late_ms: number;
  key: string;
  pool: string;
  holder: string | null;
  served: boolean;
}

/** Ends runs, as missed, that have not started by their start deadline. Returns how many. */
export async function finishLateStarts(db: Database, limit: number): Promise<number> {
  const rows = await query<LateStartRow>(db.pool, 'late_starts', LATE_STARTS, [db.namespace, limit]);
  if (rows.length === 0) return 0;
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

function reasonOf(row: LateStartRow): string {
  const obstacle = startObstacle(row);
  return startMissedReason({
    deadlineMs: row.deadline_ms,
    lateMs: row.late_ms,
    ...(obstacle === undefined ? {} : { obstacle }),
  });
}

const LATE_STARTS = `
SELECT r.id, r.scheduled_for, r.state, r.dispatch, r.attempt, r.key, r.pool,
  round(extract(epoch FROM r.start_by - r.due_at) * 1000)::float8 AS deadline_ms,
  floor(extract(epoch FROM now() - r.due_at) * 1000)::float8 AS late_ms,
  (SELECT h.holder FROM key_holders(r.namespace, r.key, r.id) h
   WHERE r.overlap <> 'allow' AND h.taken >= least(r.key_limit, h.key_limit)) AS holder,
  EXISTS (SELECT FROM process p WHERE p.namespace = r.namespace AND p.role = 'worker' AND p.stopped_at IS NULL
    AND r.pool = ANY (p.pools) AND p.beat_at > now() - ${WORKER_SILENT_SECONDS} * interval '1 s') AS served
FROM run r
WHERE r.namespace = $1 AND r.start_by < now() AND r.phase IN ('live', 'untold', 'ticking', 'waiting') AND r.state <> 'running' AND r.attempt = 0
ORDER BY r.start_by LIMIT $2`;
