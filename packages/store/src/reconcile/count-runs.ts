import { type Database, query } from '../postgres/database.ts';

export interface QueueLoad {
  queue: string;
  queued: number;
  running: number;
}

/**
 * The queues that a task's runs go to, that a worker serves, or in which a run still is: a namespace has no others. Those of one worker
 * alone only where a task of their pool runs on every worker: else nothing was ever put into them.
 */
const QUEUES = (namespace: string) => `
  SELECT queue FROM task_queue WHERE namespace = ${namespace}
  UNION SELECT queue_of(served.pool, need) FROM process, unnest(pools) AS served(pool), unnest(ARRAY[NULL] || offers) AS need
    WHERE namespace = ${namespace} AND (need IS NULL OR worker_of(need) IS NULL
      OR EXISTS (SELECT FROM task s WHERE s.namespace = ${namespace} AND s.pool = served.pool AND s.rules ? 'runOn'))`;

/** Every queue that a task's runs go to, or that somebody serves. */
export async function knownQueues(db: Database): Promise<string[]> {
  const rows = await query<{ queue: string }>(db.pool, 'known_queues', QUEUES('$1'), [db.namespace]);
  return rows.map(({ queue }) => queue);
}

/** The runs that the queue should hold, and those whose job it may still hold, by queue. Every queue that is known is named. */
export async function countQueued(db: Database): Promise<QueueLoad[]> {
  return await query<{ queue: string; queued: number; running: number }>(db.pool, 'count_queued', COUNT_QUEUED, [
    db.namespace,
    db.openFrom.runs,
  ]);
}

const COUNT_QUEUED = `
SELECT queue, sum(queued)::integer AS queued, sum(running)::integer AS running FROM (
  SELECT queue_of(pool, need) AS queue, count(*) FILTER (WHERE state = 'queued') AS queued, count(*) FILTER (WHERE state = 'running') AS running
  FROM run WHERE namespace = $1 AND phase = 'live' AND due_at >= $2 GROUP BY pool, need
  UNION ALL
  SELECT queue, 0, 0 FROM (${QUEUES('$1')}) known
) load GROUP BY queue ORDER BY queue`;
