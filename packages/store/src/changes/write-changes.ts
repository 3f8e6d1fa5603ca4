import { type Database, query } from '../postgres/database.ts';

/** What one look has found to have changed, for whoever watches. */
export interface StoredChanges {
  /** Later ones have greater ids: in the order in which they are seen. */
  id: number;
  at: Date;
  changes: unknown;
}

/** As text that JavaScript counts exactly. */
const ID = 'id::float8 AS id';

/** One who looks for changes, and the time up to which that has been done. */
export interface ChangeHold {
  /** What was committed before it has been told, by whoever looked before. */
  observedAt: Date;
  /** Now, by Postgres. */
  now: Date;
  /** Somebody else, or nobody, has looked until now. */
  isNew: boolean;
}

/**
 * Takes or keeps the part of the one who looks for changes: one process of a namespace at a time, so that all who watch see them in one
 * order. `observedAt`: up to when it has looked; null: it has not yet. `holdMs`: after so long without another call it is taken for dead.
 * Null: somebody else looks.
 */
export async function holdChanges(
  db: Database,
  { holder, holdMs, observedAt }: { holder: string; holdMs: number; observedAt: Date | null },
): Promise<ChangeHold | null> {
  const [row] = await query<{ observed_at: Date; now: Date; was: string | null }>(db.pool, 'hold_changes', HOLD, [
    db.namespace,
    holder,
    holdMs,
    observedAt?.toISOString() ?? null,
  ]);
  return row ? { observedAt: row.observed_at, now: row.now, isNew: row.was !== holder } : null;
}

const HOLD = `
WITH was AS (SELECT holder FROM change_writer WHERE namespace = $1)
INSERT INTO change_writer AS w (namespace, holder, held_until, observed_at)
VALUES ($1, $2, now() + $3 * interval '1 ms', coalesce($4::timestamptz, now()))
ON CONFLICT (namespace) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until,
  observed_at = greatest(w.observed_at, $4::timestamptz)
WHERE w.holder = $2 OR w.held_until <= now()
RETURNING w.observed_at, now()::timestamptz(3) AS now, (SELECT holder FROM was) AS was`;

/** Lets somebody else look at once. */
export async function releaseChanges(db: Database, holder: string): Promise<void> {
  const text = 'UPDATE change_writer SET held_until = now() WHERE namespace = $1 AND holder = $2';
  await query(db.pool, 'release_changes', text, [db.namespace, holder]);
}

/** Writes what a look has found, if it is still this one's part to look. False: it is not. */
export async function writeChanges(
  db: Database,
  { holder, changes }: { holder: string; changes: unknown },
): Promise<boolean> {
  // The row of the writer is locked first: whoever takes its part writes after this is committed, and gets a greater id.
  const rows = await query(
    db.pool,
    'write_changes',
    `WITH held AS MATERIALIZED (SELECT FROM change_writer WHERE namespace = $1 AND holder = $2 FOR UPDATE)
     INSERT INTO change (namespace, changes) SELECT $1, $3::jsonb FROM held RETURNING 1`,
    [db.namespace, holder, JSON.stringify(changes)],
  );
  return rows.length > 0;
}

/** Changes after a place, in order. */
export async function changesAfter(db: Database, id: number, limit: number): Promise<StoredChanges[]> {
  return await query<StoredChanges & { [column: string]: unknown }>(
    db.pool,
    'changes_after',
    `SELECT ${ID}, at, changes FROM change WHERE namespace = $1 AND change.id > $2::bigint ORDER BY change.id LIMIT $3`,
    [db.namespace, id, limit],
  );
}

/** The place of the latest changes; 0: there are none. */
export async function latestChange(db: Database): Promise<number> {
  const text = 'SELECT coalesce(max(id), 0)::float8 AS id FROM change WHERE namespace = $1';
  const [row] = await query<{ id: number }>(db.pool, 'latest_change', text, [db.namespace]);
  return row?.id ?? 0;
}

/** Whether all that came after a place is still there. */
export async function isChangeKept(db: Database, id: number): Promise<boolean> {
  const text = 'SELECT FROM change WHERE namespace = $1 AND id = $2::bigint';
  return (await query(db.pool, 'is_change_kept', text, [db.namespace, id])).length > 0;
}

/** Deletes changes older than so many milliseconds; the latest stays, so that its place is known. */
export async function dropChanges(db: Database, keptMs: number): Promise<void> {
  await query(
    db.pool,
    'drop_changes',
    `DELETE FROM change WHERE namespace = $1 AND at < now() - $2 * interval '1 ms'
       AND id < (SELECT max(l.id) FROM change l WHERE l.namespace = $1)`,
    [db.namespace, keptMs],
  );
}
