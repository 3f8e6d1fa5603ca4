import { type Database, query } from '../postgres/database.ts';
import { isOverRate } from './admission.ts';
import { CANCEL_CHANNEL } from './cancel-run.ts';
import { REPLACING } from './overlap-policies.ts';
import type { WokenRun } from './woken-run.ts';

/**
 * Gives the free slots of these keys to the next in their wait queues (SQL function wake_waiting), once nobody has the slots locked. The
 * caller adds the jobs of what is returned; what it leaves out the reconciler adds. Repeated it changes nothing.
 */
export async function wakeKeys(db: Database, keys: readonly string[]): Promise<WokenRun[]> {
  if (keys.length === 0) return [];
  return (await query<WokenRow>(db.hot, 'wake_keys', WAKE_KEYS, [db.namespace, keys])).map(fromRow);
}

/** A key whose waiting runs may have missed a wake-up. */
export interface WaitingKey {
  key: string;
  /** The first in its wait queue, or the one that replaces. */
  runId: string;
  /** It has a free slot; else a run waits to replace the one at work, which may not have been asked to stop. */
  hasRoom: boolean;
  /** Another run goes before that one and is on its way: nothing was lost. */
  behind: boolean;
}

/** At most `limit` keys with waiting runs and a free slot, and as many with a run that waits to replace another. */
export async function findLostWakeUps(db: Database, limit: number): Promise<WaitingKey[]> {
  const rows = await query<{ key: string; run_id: string; has_room: boolean; behind: boolean }>(
    db.hot,
    'lost_wake_ups',
    LOST_WAKE_UPS,
    [db.namespace, limit],
  );
  return rows.map(({ run_id: runId, has_room: hasRoom, ...row }) => ({ ...row, runId, hasRoom }));
}

/**
 * Wakes the next in the wait queues of these keys as far as they have free slots, and asks those to stop that are to be replaced, if
 * nobody has. Returns the runs that it woke; their jobs are to be added.
 */
export async function wakeWaiting(db: Database, found: readonly WaitingKey[]): Promise<WokenRun[]> {
  const replacing = found.filter(({ hasRoom }) => !hasRoom);
  if (replacing.length > 0)
    await query(db.hot, 'ask_replaced', ASK_REPLACED, [
      db.namespace,
      replacing.map(({ key }) => key),
      replacing.map(({ runId }) => runId),
      CANCEL_CHANNEL,
    ]);
  return await wakeKeys(
    db,
    found.filter(({ hasRoom }) => hasRoom).map(({ key }) => key),
  );
}

interface WokenRow {
  run_id: string;
  scheduled_for: Date;
  queue: string;
  due_at: Date;
  dispatch: number;
  key: string;
  slot: number | null;
}

function fromRow({ run_id: id, scheduled_for: scheduledFor, due_at: dueAt, ...rest }: WokenRow): WokenRun {
  return { ...rest, id, scheduledFor, dueAt };
}

const COLUMNS = 'w.run_id, w.scheduled_for, w.queue, w.due_at, w.dispatch, w.key, w.slot';

const WAKE_KEYS = `SELECT ${COLUMNS} FROM wake_waiting($1, $2::text[], NULL, true) w`;

const ASK_REPLACED = `SELECT ask_replaced($1, i.key, i.run_id, $4) FROM unnest($2::text[], $3::uuid[]) AS i(key, run_id)`;

// The key's next run is found by wake_waiting alone.
const LOST_WAKE_UPS = `
(SELECT k AS key, w.id AS run_id, true AS has_room,
   wait_queue_ahead($1, k, w.overlap, w.scheduled_for, w.id) IS NOT NULL OR ${isOverRate('w')} AS behind
 FROM waiting_keys($1, $2::integer) k CROSS JOIN LATERAL (
   SELECT r.id, r.overlap, r.scheduled_for, r.namespace, r.task_id, r.rate_key, r.pool, r.due_at FROM run r WHERE r.namespace = $1 AND r.key = k AND r.phase = 'waiting'
   ORDER BY r.scheduled_for, r.id LIMIT 1) w)
UNION ALL
(SELECT w.key, w.id, false, false FROM run w
 WHERE w.namespace = $1 AND w.phase = 'waiting' AND w.overlap IN ${REPLACING} AND w.attempt = 0
   AND wait_queue_ahead(w.namespace, w.key, w.overlap, w.scheduled_for, w.id) IS NULL
 LIMIT $2)`;
