import { type Database, query } from '../postgres/database.ts';
import { appOf, canServe } from '../processes/can-serve.ts';
import { isLive } from '../processes/is-live.ts';

/** What tasks need that no living worker has, or none that takes anything new: their runs wait. */
export interface UnservedQueue {
  pool: string;
  /** See `Need` of core. */
  need: string | null;
  /** The application whose code it is; null: none is known, or it is no code. */
  app: string | null;
  /** Living workers of the pool, which lack what is needed. */
  workers: string[];
  /** Of them, those that have what is needed, and are being drained. */
  drained: string[];
  /** Living workers that have what is needed and serve other pools; at most 3. */
  others: { id: string; pools: string[] }[];
  /** Tasks whose runs wait for that; some of their names. */
  tasks: number;
  examples: string[];
}

/** The pools and needs of tasks that no living worker can serve. A worker that has not sent a heartbeat for `deadMs` is dead. */
export async function unservedQueues(db: Database, options: { deadMs: number }): Promise<UnservedQueue[]> {
  return await query<Row>(db.pool, 'unserved_queues', UNSERVED(OF_TASKS), [db.namespace, options.deadMs]);
}

/** The same of a task; null: its runs can be taken. */
export async function unservedTask(
  db: Database,
  name: string,
  options: { deadMs: number },
): Promise<UnservedQueue | null> {
  const values = [db.namespace, options.deadMs, name];
  const [row] = await query<Row>(db.pool, 'unserved_task', UNSERVED(`${OF_TASKS} AND t.name = $3`), values);
  return row ?? null;
}

/** The same of a run that has not begun, or waits for its next attempt; null: it can be taken, or needs no worker now. */
export async function unservedRun(
  db: Database,
  run: { runId: string; scheduledFor: Date },
  options: { deadMs: number },
): Promise<UnservedQueue | null> {
  const values = [db.namespace, options.deadMs, run.runId, run.scheduledFor.toISOString()];
  const [row] = await query<Row>(db.pool, 'unserved_run', UNSERVED(OF_RUN), values);
  return row ?? null;
}

type Row = UnservedQueue & { [column: string]: unknown };

/** A task of code is not served by a worker of its application that could not load its module. */
const OF_TASKS = `(SELECT t.pool, t.name, t.need AS own_need,
    CASE WHEN t.source = 'code' AND t.deployment_id IS NOT NULL AND t.need LIKE 'code.%'
      AND EXISTS (SELECT FROM worker w WHERE NOT w.drained AND ${canServe('w', 't')})
      AND NOT EXISTS (SELECT FROM has_code h WHERE h.pool = t.pool AND h.name = t.name) THEN 'code' ELSE t.need END AS need
  FROM task t WHERE t.namespace = $1 AND t.deleted_at IS NULL) t WHERE true`;
const OF_RUN = `(SELECT r.pool, r.need, k.need AS own_need, k.name FROM run r JOIN task k ON k.id = r.task_id
  WHERE r.namespace = $1 AND r.id = $3 AND r.scheduled_for = $4 AND r.state IN ('planned', 'queued', 'retrying', 'waiting')) t WHERE true`;

const UNSERVED = (from: string) => `
WITH worker AS MATERIALIZED (
  SELECT p.id, p.role, p.pools, p.offers, p.drain_asked_at IS NOT NULL AS drained, p.deployment_id FROM process p
  WHERE p.namespace = $1 AND p.role = 'worker' AND ${isLive('p', '$2')}
), has_code AS MATERIALIZED (
  SELECT DISTINCT pool, name FROM worker w JOIN deployment d ON d.id = w.deployment_id
    CROSS JOIN LATERAL jsonb_object_keys(d.tasks) AS name CROSS JOIN LATERAL unnest(w.pools) AS pool
), wanted AS MATERIALIZED (
  SELECT t.pool, t.need, t.own_need, count(*)::integer AS tasks, (array_agg(t.name ORDER BY t.name))[1:3] AS examples FROM ${from}
  GROUP BY t.pool, t.need, t.own_need
)
SELECT q.pool, q.need, q.tasks, q.examples,
  coalesce(${appOf('q.need')}, ${appOf('q.own_need')}) AS app,
  ARRAY(SELECT w.id FROM worker w WHERE q.pool = ANY (w.pools) ORDER BY w.id) AS workers,
  ARRAY(SELECT w.id FROM worker w WHERE ${canServe('w', 'q')} ORDER BY w.id) AS drained,
  coalesce((SELECT jsonb_agg(o) FROM (SELECT w.id, w.pools FROM worker w WHERE q.need = ANY (w.offers) AND NOT q.pool = ANY (w.pools) ORDER BY w.id LIMIT 3) o), '[]') AS others
FROM wanted q
WHERE NOT EXISTS (SELECT FROM worker w WHERE NOT w.drained AND ${canServe('w', 'q')})
ORDER BY q.pool, q.need NULLS FIRST`;
