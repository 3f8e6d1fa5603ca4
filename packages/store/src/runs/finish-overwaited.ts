import { overwaitedReason } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { hasOverwaited } from './admission.ts';
import { finishAsFound } from './finish-as-found.ts';

/** Waiting runs that were ready to wait until now and no longer. */
export async function findOverwaited(db: Database, limit: number): Promise<OverwaitedRun[]> {
  return await query<OverwaitedRun & { [column: string]: unknown }>(db.hot, 'overwaited_runs', OVERWAITED_RUNS, [
    db.namespace,
    limit,
  ]);
}

/** Skips these runs, if they are as they were found, naming the run in their way. Returns how many. */
export async function finishOverwaited(db: Database, rows: readonly OverwaitedRun[]): Promise<number> {
  const found = rows.map((row) => ({ ...row, state: 'waiting' as const }));
  return await finishAsFound(db, found, ({ key, holder, waited_ms }) => ({
    to: 'skipped',
    reason: overwaitedReason(key, holder, waited_ms),
    holder,
  }));
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
