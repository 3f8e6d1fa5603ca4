import { type Database, query } from './database.ts';

/** Empties slots whose run has ended, is gone, or holds another slot by now. Returns how many. */
export async function freeDeadSlots(db: Database, limit: number): Promise<number> {
  const rows = await query(
    db.hot,
    'free_dead_slots',
    `UPDATE key_slot s SET run_id = NULL, run_scheduled_for = NULL, worker = NULL, since = NULL
     FROM (
       SELECT s.namespace, s.key, s.slot, s.run_id FROM key_slot s
       LEFT JOIN run r ON r.id = s.run_id AND r.scheduled_for = s.run_scheduled_for
       WHERE s.namespace = $1 AND s.run_id IS NOT NULL
         AND (r.id IS NULL OR r.finished_at IS NOT NULL OR r.slot IS DISTINCT FROM s.slot)
       ORDER BY s.namespace, s.key, s.slot
       LIMIT $2
       FOR UPDATE OF s SKIP LOCKED
     ) dead
     WHERE s.namespace = dead.namespace AND s.key = dead.key AND s.slot = dead.slot AND s.run_id = dead.run_id
     RETURNING 1`,
    [db.namespace, limit],
  );
  return rows.length;
}
