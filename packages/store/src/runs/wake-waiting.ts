import { type Database, query } from '../database.ts';
import { CANCEL_CHANNEL } from './cancel-run.ts';
import type { WokenRun } from './woken-run.ts';

/**
 * Gives the free slots of these keys to the next in their lines (SQL function wake_waiting). The caller adds the jobs of
 * what is returned; what it leaves out the reconciler adds. Repeated it changes nothing.
 */
export async function wakeKeys(db: Database, keys: readonly string[]): Promise<WokenRun[]> {
  if (keys.length === 0) return [];
  return (await query<WokenRow>(db.hot, 'wake_keys', WAKE_KEYS, [db.namespace, keys])).map(fromRow);
}

/**
 * Finds lost wake-ups: waiting runs of at most `limit` keys that have a free slot, and replacing ones whose holder was
 * not asked to stop. Returns the runs that it woke; their jobs are to be added.
 */
export async function wakeWaiting(db: Database, limit: number): Promise<WokenRun[]> {
  await query(db.hot, 'ask_replaced', ASK_REPLACED, [db.namespace, limit, CANCEL_CHANNEL]);
  return (await query<WokenRow>(db.hot, 'wake_waiting', WAKE_WAITING, [db.namespace, limit])).map(fromRow);
}

interface WokenRow {
  run_id: string;
  scheduled_for: Date;
  pool: string;
  due_at: Date;
  dispatch: number;
  key: string;
  slot: number | null;
}

function fromRow({ run_id: id, scheduled_for: scheduledFor, due_at: dueAt, ...rest }: WokenRow): WokenRun {
  return { ...rest, id, scheduledFor, dueAt };
}

const COLUMNS = 'w.run_id, w.scheduled_for, w.pool, w.due_at, w.dispatch, w.key, w.slot';

const WAKE_KEYS = `SELECT ${COLUMNS} FROM wake_waiting($1, $2::text[]) w`;

const WAKE_WAITING = `SELECT ${COLUMNS} FROM wake_waiting($1, ARRAY(SELECT waiting_keys($1, $2))) w`;

const ASK_REPLACED = `
SELECT ask_replaced(r.namespace, r.key, r.id, $3) FROM (
  SELECT w.namespace, w.key, w.id FROM run w
  WHERE w.namespace = $1 AND w.phase = 'waiting' AND w.overlap = 'replace' AND w.attempt = 0
    AND line_ahead(w.namespace, w.key, w.overlap, w.scheduled_for, w.id) IS NULL
  LIMIT $2) r`;
