import { type Database, query } from '../database.ts';

export interface PoolLoad {
  pool: string;
  queued: number;
  running: number;
}

/** The runs that the queue should hold, and those whose job it may still hold, by pool. Every pool with a task is named. */
export async function countQueued(db: Database): Promise<PoolLoad[]> {
  return await query<{ pool: string; queued: number; running: number }>(db.pool, 'count_queued', COUNT_QUEUED, [
    db.namespace,
  ]);
}

const COUNT_QUEUED = `
SELECT pool, sum(queued)::integer AS queued, sum(running)::integer AS running FROM (
  SELECT pool, count(*) FILTER (WHERE state = 'queued') AS queued, count(*) FILTER (WHERE state = 'running') AS running
  FROM run WHERE namespace = $1 AND phase = 'live' GROUP BY pool
  UNION ALL
  SELECT DISTINCT pool, 0, 0 FROM task WHERE namespace = $1
  UNION ALL
  SELECT DISTINCT unnest(pools), 0, 0 FROM process WHERE namespace = $1
) load GROUP BY pool ORDER BY pool`;
