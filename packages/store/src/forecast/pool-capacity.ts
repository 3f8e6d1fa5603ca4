import { type Database, query } from '../postgres/database.ts';
import { isLive } from '../processes/is-live.ts';

/** How many runs the living workers of each pool take at once. A worker that serves several pools counts in each of them. */
export async function poolCapacity(db: Database, { deadMs }: { deadMs: number }): Promise<Map<string, number>> {
  const rows = await query<{ pool: string; capacity: number }>(
    db.pool,
    'pool_capacity',
    `SELECT w.pool, sum(p.concurrency)::integer AS capacity FROM process p CROSS JOIN unnest(p.pools) AS w(pool)
     WHERE p.namespace = $1 AND p.role = 'worker' AND p.drain_asked_at IS NULL AND p.concurrency IS NOT NULL AND ${isLive('p', '$2')} GROUP BY 1`,
    [db.namespace, deadMs],
  );
  return new Map(rows.map(({ pool, capacity }) => [pool, capacity]));
}
