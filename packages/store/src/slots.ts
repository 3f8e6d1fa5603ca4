import { type Database, query } from './postgres/database.ts';

/** A slot that protects nothing, as it was seen. */
export interface DeadSlot {
  key: string;
  slot: number;
  run_id: string;
  fence: bigint;
  since: Date | null;
}

/**
 * Slots whose run has ended, is gone, waits again, or holds another slot by now, and those that were reserved for a run that
 * has not come in time.
 */
export async function findDeadSlots(db: Database, limit: number): Promise<DeadSlot[]> {
  return await query<DeadSlot & { [column: string]: unknown }>(db.hot, 'dead_slots', DEAD_SLOTS, [db.namespace, limit]);
}

/** Empties these slots, if they are as they were found. Returns how many. */
export async function freeDeadSlots(db: Database, found: readonly DeadSlot[]): Promise<number> {
  const freed = await query(db.hot, 'free_dead_slots', FREE_DEAD_SLOTS, [
    db.namespace,
    found.map(({ key }) => key),
    found.map(({ slot }) => slot),
    found.map(({ run_id: runId }) => runId),
    found.map(({ fence }) => fence.toString()),
    found.map(({ since }) => since?.toISOString() ?? null),
  ]);
  return freed.length;
}

const DEAD_SLOTS = `SELECT s.key, s.slot, s.run_id, s.fence, s.since FROM key_slot s
LEFT JOIN run r ON r.id = ANY (ARRAY[s.run_id]) AND r.scheduled_for = s.run_scheduled_for
WHERE s.namespace = $1 AND s.run_id IS NOT NULL
  AND (r.id IS NULL OR r.slot IS DISTINCT FROM s.slot
    OR r.state NOT IN ('running', 'retrying') AND NOT slot_taken(s.run_id, s.run_scheduled_for, s.since))
ORDER BY s.namespace, s.key, s.slot
LIMIT $2`;

// The slot is compared again under its lock: it may have gone to another run since it was looked at.
const FREE_DEAD_SLOTS = `
WITH locked AS MATERIALIZED (
  SELECT s.namespace, s.key, s.slot
  FROM unnest($2::text[], $3::integer[], $4::uuid[], $5::bigint[], $6::timestamptz[]) AS d(key, slot, run_id, fence, since)
  JOIN key_slot s ON s.namespace = $1 AND s.key = d.key AND s.slot = d.slot
    AND s.run_id = d.run_id AND s.fence = d.fence AND s.since IS NOT DISTINCT FROM d.since
  ORDER BY s.namespace, s.key, s.slot
  FOR UPDATE OF s SKIP LOCKED
)
UPDATE key_slot s SET run_id = NULL, run_scheduled_for = NULL, worker = NULL, since = NULL
FROM locked l WHERE s.namespace = l.namespace AND s.key = l.key AND s.slot = l.slot
RETURNING 1`;
