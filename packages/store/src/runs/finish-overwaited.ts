import { randomUUID } from 'node:crypto';
import { overwaitedReason } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { hasOverwaited } from './admission.ts';
import { finishRuns } from './finish-runs.ts';

/** Waiting runs that were ready to wait until now and no longer. */
export async function findOverwaited(db: Database, limit: number): Promise<OverwaitedRun[]> {
  return await query<OverwaitedRun & { [column: string]: unknown }>(db.hot, 'overwaited_runs', OVERWAITED_RUNS, [
    db.namespace,
    limit,
  ]);
}

/** Skips these runs, if they are as they were found, naming the run in their way. Returns how many. */
export async function finishOverwaited(db: Database, rows: readonly OverwaitedRun[]): Promise<number> {
  const results = await finishRuns(
    db,
    rows.map((row) => ({
      runId: row.id,
      scheduledFor: row.scheduled_for,
      seen: { state: 'waiting', dispatch: row.dispatch, attempt: row.attempt },
      fence: null,
      finishId: randomUUID(),
      verdict: {
        to: 'skipped',
        reason: overwaitedReason(row.key, row.holder, row.waited_ms),
        lost: false,
        uncounted: false,
      },
      ...(row.holder === null ? {} : { blockedBy: row.holder }),
    })),
  );
  return results.filter((result) => result === 'applied').length;
}

/** A run that has waited for longer than its policy lets it, as it was seen. */
export interface OverwaitedRun {
  id: string;
  scheduled_for: Date;
  dispatch: number;
  attempt: number;
  key: string;
  waited_ms: number;
  holder: string | null;
}

const OVERWAITED_RUNS = `
SELECT r.id, r.scheduled_for, r.dispatch, r.attempt, r.key,
  round(extract(epoch FROM now() - r.waiting_since) * 1000)::float8 AS waited_ms, coalesce(h.run_id, r.blocked_by) AS holder
FROM run r
LEFT JOIN LATERAL (SELECT s.run_id FROM key_slot s WHERE s.namespace = r.namespace AND s.key = r.key
  AND s.run_id <> r.id ORDER BY s.since LIMIT 1) h ON true
WHERE r.namespace = $1 AND r.phase = 'waiting' AND ${hasOverwaited('r')}
ORDER BY r.wait_until LIMIT $2`;
