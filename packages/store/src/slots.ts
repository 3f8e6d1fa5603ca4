import { type Database, query } from './database.ts';

/**
 * Empties slots whose run has ended, is gone, waits again, or holds another slot by now, and those that were reserved for
 * a run that has not come in time. Returns how many.
 */
export async function freeDeadSlots(db: Database, limit: number): Promise<number> {
  return (await query(db.hot, 'free_dead_slots', FREE_DEAD_SLOTS, [db.namespace, limit])).length;
}

/** The slots of namespace $1 that protect nothing, at most $2. */
export const DEAD_SLOTS = `SELECT s.namespace, s.key, s.slot, s.run_id, s.fence, s.since FROM key_slot s
LEFT JOIN run r ON r.id = ANY (ARRAY[s.run_id]) AND r.scheduled_for = s.run_scheduled_for
WHERE s.namespace = $1 AND s.run_id IS NOT NULL
  AND (r.id IS NULL OR r.slot IS DISTINCT FROM s.slot
    OR r.state NOT IN ('running', 'retrying') AND NOT slot_taken(s.run_id, s.run_scheduled_for, s.since))
ORDER BY s.namespace, s.key, s.slot
LIMIT $2`;

// The slot is compared again under its lock: it may have gone to another run since it was looked at.
const FREE_DEAD_SLOTS = `
WITH dead AS MATERIALIZED (
  ${DEAD_SLOTS}
), locked AS MATERIALIZED (
  SELECT s.namespace, s.key, s.slot FROM dead d
  JOIN key_slot s ON s.namespace = d.namespace AND s.key = d.key AND s.slot = d.slot
    AND s.run_id = d.run_id AND s.fence = d.fence AND s.since IS NOT DISTINCT FROM d.since
  ORDER BY s.namespace, s.key, s.slot
  FOR UPDATE OF s SKIP LOCKED
)
UPDATE key_slot s SET run_id = NULL, run_scheduled_for = NULL, worker = NULL, since = NULL
FROM locked l WHERE s.namespace = l.namespace AND s.key = l.key AND s.slot = l.slot
RETURNING 1`;
