import { type Database, query } from '../postgres/database.ts';
import type { WokenRun } from '../runs/woken-run.ts';

export interface Rated {
  /** Runs that have a token reserved for them: their jobs are to be added. */
  woken: WokenRun[];
  /** Milliseconds until there may be a token for the next one; null: none waits for one. */
  nextMs: number | null;
}

/**
 * Wakes the runs that wait for a token of their task's rate and can have it now, in their order (SQL function wake_rated).
 * Repeated it changes nothing.
 */
export async function wakeRated(db: Database): Promise<Rated> {
  const rows = await query<RatedRow>(db.hot, 'wake_rated', WAKE_RATED, [db.namespace]);
  return { woken: rows.flatMap(toWoken), nextMs: rows.find(({ run_id }) => run_id === null)?.next_ms ?? null };
}

interface RatedRow {
  run_id: string | null;
  scheduled_for: Date;
  queue: string;
  due_at: Date;
  dispatch: number;
  key: string;
  slot: number | null;
  next_ms: number | null;
}

function toWoken({
  run_id: id,
  scheduled_for: scheduledFor,
  due_at: dueAt,
  next_ms: _,
  ...rest
}: RatedRow): WokenRun[] {
  return id === null ? [] : [{ ...rest, id, scheduledFor, dueAt }];
}

// greatest() leaves out what is null: of nobody who waits it would say 0.
const WAKE_RATED = `
SELECT w.run_id, w.scheduled_for, w.queue, w.due_at, w.dispatch, w.key, w.slot,
  CASE WHEN w.next_at IS NOT NULL
    THEN greatest(0, ceil(extract(epoch FROM w.next_at - clock_timestamp()) * 1000)) END::float8 AS next_ms
FROM wake_rated($1) w`;
