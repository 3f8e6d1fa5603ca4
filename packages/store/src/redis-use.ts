import { LEASE_MS } from '@escapement/core';
import { type Database, query } from './postgres/database.ts';
import { isLive } from './processes/is-live.ts';

/** What the ledger says of the Redis that serves the namespace. */
export interface RedisUse {
  /** By what it is known; null: no scheduler has said so yet. */
  noted: string | null;
  /** A living program that has read that in its Redis last, and whether it has within the last seconds; null: there is none. */
  usedBy: { program: string; isFresh: boolean } | null;
}

/** A program reads its Redis every two seconds. Milliseconds. */
const FRESH_MS = 6_000;

/** `self`: the process that asks, which does not count. */
export async function redisUse(db: Database, self: string): Promise<RedisUse> {
  const [row] = await query<{ noted: string | null; program: string | null; isFresh: boolean | null }>(
    db.pool,
    'redis_use',
    REDIS_USE,
    [db.namespace, self, LEASE_MS, FRESH_MS],
  );
  const { noted = null, program = null, isFresh = null } = row ?? {};
  return { noted, usedBy: program === null ? null : { program, isFresh: isFresh === true } };
}

const REDIS_USE = `
SELECT w.redis_id AS noted, u.program, u.fresh AS "isFresh" FROM queue_watch w LEFT JOIN LATERAL (
  SELECT p.role || ' ' || p.pid || ' on ' || p.host AS program, coalesce(p.redis_read_at > now() - $4 * interval '1 ms', false) AS fresh
  FROM process p WHERE p.namespace = $1 AND p.id <> $2 AND p.redis_id = w.redis_id AND ${isLive('p', '$3')}
  ORDER BY fresh DESC, p.id LIMIT 1
) u ON true
WHERE w.namespace = $1`;

/** Notes that another Redis serves the namespace, unless somebody else has noted one since. False: somebody has. */
export async function moveRedis(db: Database, { from, to }: { from: string | null; to: string }): Promise<boolean> {
  const rows = await query(db.pool, 'move_redis', MOVE_REDIS, [db.namespace, from, to]);
  return rows.length > 0;
}

// A row without a marker is not that of any Redis: the first pass of a reconciler compares all.
const MOVE_REDIS = `
INSERT INTO queue_watch AS w (namespace, marker, server, redis_id) VALUES ($1, '', '', $3)
ON CONFLICT (namespace) DO UPDATE SET redis_id = excluded.redis_id WHERE w.redis_id IS NOT DISTINCT FROM $2
RETURNING 1`;
