import { type Database, query } from '../postgres/database.ts';

/** The names of the workers that each occurrence of a task has a run on, if it runs on every worker. */
export async function expectedWorkers(db: Database, task: { id: string }): Promise<string[]> {
  const [row] = await query<{ workers: string[] }>(
    db.pool,
    'expected_workers',
    `SELECT expected_workers(t.namespace, t.pool, t.need) AS workers FROM task t WHERE t.namespace = $1 AND t.id = $2`,
    [db.namespace, task.id],
  );
  return row?.workers ?? [];
}

/**
 * The queues of workers that were heard more than a day ago last, in pools where tasks run on every worker: nobody takes anything from them,
 * and nothing is put into them. To be asked before these processes are forgotten.
 */
export async function goneWorkerQueues(db: Database): Promise<string[]> {
  const rows = await query<{ queue: string }>(
    db.pool,
    'gone_worker_queues',
    `SELECT DISTINCT queue_of(served.pool, need) AS queue FROM process p, unnest(p.pools) AS served(pool), unnest(p.offers) AS need
     WHERE p.namespace = $1 AND p.heartbeat_at < now() - interval '1 day' AND worker_of(need) IS NOT NULL
       AND EXISTS (SELECT FROM task t WHERE t.namespace = $1 AND t.pool = served.pool AND t.rules ? 'runOn')
       AND NOT EXISTS (SELECT FROM process o WHERE o.namespace = $1 AND o.name = p.name AND o.heartbeat_at >= now() - interval '1 day')
     ORDER BY 1`,
    [db.namespace],
  );
  return rows.map(({ queue }) => queue);
}
