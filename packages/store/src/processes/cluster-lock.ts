import { type Database, query } from '../postgres/database.ts';

/** True for one replica in each interval: the one that moved the lock's time. */
export async function takeClusterLock(db: Database, name: string, everyMs: number): Promise<boolean> {
  const rows = await query(
    db.hot,
    'take_cluster_lock',
    `INSERT INTO cluster_lock AS l (namespace, name, taken_at) VALUES ($1, $2, now())
     ON CONFLICT (namespace, name) DO UPDATE SET taken_at = now()
     WHERE l.taken_at <= now() - $3 * interval '1 ms'
     RETURNING 1 AS passed`,
    [db.namespace, name, everyMs],
  );
  return rows.length > 0;
}

export interface ClusterLockHold {
  name: string;
  /** Who does the pass; unique to one life of a process. */
  holder: string;
  /** No two passes begin closer together, but for those of a holder that goes on at once. Milliseconds. */
  everyMs: number;
  /** After so long without another call the cluster lock is free again: its holder is taken for dead. Milliseconds. */
  holdMs: number;
}

/**
 * Like `takeClusterLock`, and keeps others out until `releaseClusterLock`. Called again by the holder it passes at once. Who held it last
 * has the next pass, too, and others only when that one has missed its turn: what one pass has seen the next may need.
 */
export async function holdClusterLock(db: Database, hold: ClusterLockHold): Promise<boolean> {
  const rows = await query(db.hot, 'hold_cluster_lock', HOLD_CLUSTER_LOCK, [
    db.namespace,
    hold.name,
    hold.holder,
    hold.everyMs,
    hold.holdMs,
  ]);
  return rows.length > 0;
}

const HOLD_CLUSTER_LOCK = `
INSERT INTO cluster_lock AS l (namespace, name, taken_at, holder, held_until)
VALUES ($1, $2, now(), $3, now() + $5 * interval '1 ms')
ON CONFLICT (namespace, name) DO UPDATE SET taken_at = now(), holder = excluded.holder, held_until = excluded.held_until
WHERE l.holder = $3 AND l.held_until > now()
  OR (l.held_until IS NULL OR l.held_until <= now())
    AND l.taken_at <= now() - $4 * interval '1 ms' * CASE WHEN l.holder = $3 THEN 1 ELSE 2 END
RETURNING 1 AS passed`;

/** Lets others in again, once the interval is over. Does nothing if the cluster lock is somebody else's by now. */
export async function releaseClusterLock(db: Database, name: string, holder: string): Promise<void> {
  await query(
    db.hot,
    'release_cluster_lock',
    'UPDATE cluster_lock SET held_until = NULL WHERE namespace = $1 AND name = $2 AND holder = $3 AND held_until IS NOT NULL',
    [db.namespace, name, holder],
  );
}

/** Up to when what a cluster lock is for has been done, as `noteDoneUntil` was told last. Null: never. */
export async function doneUntil(db: Database, name: string): Promise<Date | null> {
  const [row] = await query<{ done_until: Date | null }>(
    db.pool,
    'done_until',
    'SELECT done_until FROM cluster_lock WHERE namespace = $1 AND name = $2',
    [db.namespace, name],
  );
  return row?.done_until ?? null;
}

/** It does not go back: whoever was overtaken has done no more than the others. */
export async function noteDoneUntil(db: Database, name: string, until: Date): Promise<void> {
  await query(
    db.pool,
    'note_done_until',
    'UPDATE cluster_lock SET done_until = greatest(done_until, $3) WHERE namespace = $1 AND name = $2',
    [db.namespace, name, until],
  );
}
