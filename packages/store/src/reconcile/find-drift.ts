import type { DriftKind } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { DEAD_SLOTS } from '../slots.ts';

/** One difference: the run that is concerned, or `KEY slot N`. */
export interface DriftFound {
  kind: DriftKind;
  subject: string;
}

/** What the reconciler would put right in the ledger now, but for lost runs; at most `limit` of a kind. Changes nothing. */
export async function findLedgerDrift(db: Database, limit: number): Promise<DriftFound[]> {
  const rows = await query<{ kind: DriftKind; subject: string }>(db.pool, 'find_ledger_drift', FIND_LEDGER_DRIFT, [
    db.namespace,
    limit,
  ]);
  return rows;
}

const FIND_LEDGER_DRIFT = `
(SELECT 'cancel_pending' AS kind, id::text AS subject FROM run WHERE namespace = $1 AND cancel_requested_at IS NOT NULL
  AND phase IN ('live', 'untold', 'ticking', 'waiting', 'held') AND state <> 'running' LIMIT $2)
UNION ALL
(SELECT 'late_start', id::text FROM run WHERE namespace = $1 AND start_by < now()
 AND phase IN ('live', 'untold', 'ticking', 'waiting') AND state <> 'running' AND attempt = 0 LIMIT $2)
UNION ALL
(SELECT 'overwaited', id::text FROM run WHERE namespace = $1 AND phase = 'waiting' AND wait_until <= now() LIMIT $2)
UNION ALL
(SELECT 'lost_wake_up', w.id::text FROM waiting_keys($1, $2::integer) k CROSS JOIN LATERAL (
   SELECT r.id, r.overlap, r.scheduled_for, r.rate_key, r.task_id FROM run r WHERE r.namespace = $1 AND r.key = k AND r.phase = 'waiting'
   ORDER BY r.scheduled_for, r.id LIMIT 1) w
 WHERE line_ahead($1, k, w.overlap, w.scheduled_for, w.id) IS NULL
   AND (w.rate_key IS NULL OR rate_opens_at($1, w.rate_key, w.task_id, w.scheduled_for, w.id) IS NULL))
UNION ALL
(SELECT 'dead_slot', d.key || ' slot ' || d.slot FROM (${DEAD_SLOTS}) d)`;

/** When a pass of each lane of the reconciler last began; by the lane's name. */
export async function readPasses(db: Database): Promise<Map<string, Date>> {
  const rows = await query<{ name: string; passed_at: Date }>(
    db.pool,
    'read_passes',
    `SELECT name, passed_at FROM gate WHERE namespace = $1 AND name LIKE '%reconciler' ORDER BY name`,
    [db.namespace],
  );
  return new Map(rows.map((row) => [row.name, row.passed_at]));
}
