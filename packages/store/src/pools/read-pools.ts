import { type Database, query } from '../postgres/database.ts';
import { appOf, canServe } from '../processes/can-serve.ts';
import { isLive } from '../processes/is-live.ts';
import { RATE_COLUMNS, type RateView, toRateView } from '../rates/read-rates.ts';
import { ofEachGoingOn } from '../runs/admission.ts';
import { restsNow } from './pause-of-pool.ts';

/** A pool of workers: its settings, and how it is now. */
export interface PoolView {
  name: string;
  /** Null: it is not paused now. */
  pause: PoolPause | null;
  /** How many workers should be alive; null: nobody said. */
  expectedWorkers: number | null;
  /** Living workers that serve it, by id. */
  workers: string[];
  /** Whether the priorities of tasks count among its runs. */
  priorities: boolean;
  /** So many of its runs may start within so long; null: it has no rate. */
  rate: RateView | null;
  /** Tasks whose runs go to it. */
  tasks: number;
  /** Runs that are due and have not begun. */
  waiting: number;
  running: number;
  /** When the one that has waited longest was due; null: none waits. */
  oldestDueAt: Date | null;
  /** The same by what its runs need, a queue each; without those that no task and no run has. */
  queues: PoolQueue[];
  /** When somebody first, and last, said something about it; null: nobody did, and it is as its defaults are. */
  createdAt: Date | null;
  updatedAt: Date | null;
}

export interface PoolQueue {
  /** See `Need` of core; null: any worker of the pool will do. */
  need: string | null;
  /** The application whose code it is; null: it is none, or none is known. */
  app: string | null;
  /** Living workers that can take its runs. */
  workers: number;
  tasks: number;
  waiting: number;
  running: number;
}

export interface PoolPause {
  fromAt: Date;
  /** Null: until somebody resumes it. */
  untilAt: Date | null;
  note: string | null;
  by: string;
}

/**
 * The pools that somebody wrote down, that a task names or that a worker serves, by name; or that of one name. A worker that
 * has not sent a heartbeat for `deadMs` is dead.
 */
export async function readPools(db: Database, options: { deadMs: number; name?: string }): Promise<PoolView[]> {
  const rows = await query<PoolRow>(db.hot, 'read_pools', READ_POOLS, [
    db.namespace,
    options.deadMs,
    options.name ?? null,
  ]);
  return rows.map(toView);
}

interface PoolRow {
  rate_limit: number | null;
  rate_per_ms: bigint | null;
  rate_key: string;
  rate_started: number;
  rate_waiting: number;
  rate_next_at: Date | null;
  name: string;
  paused_from: Date | null;
  paused_until: Date | null;
  pause_note: string | null;
  paused_by: string | null;
  expected_workers: number | null;
  workers: string[];
  priorities: boolean;
  tasks: number;
  waiting: number;
  running: number;
  oldest: Date | null;
  queues: PoolQueue[] | null;
  created_at: Date | null;
  updated_at: Date | null;
}

function toView(row: PoolRow): PoolView {
  return {
    name: row.name,
    pause: row.paused_from && {
      fromAt: row.paused_from,
      untilAt: row.paused_until,
      note: row.pause_note,
      by: row.paused_by ?? '',
    },
    expectedWorkers: row.expected_workers,
    workers: row.workers,
    priorities: row.priorities,
    rate: rateOf(row),
    tasks: row.tasks,
    waiting: row.waiting,
    running: row.running,
    oldestDueAt: row.oldest,
    queues: row.queues ?? [],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function rateOf({ rate_limit, rate_per_ms, rate_key, ...row }: PoolRow): RateView | null {
  if (rate_limit === null || rate_per_ms === null) return null;
  const { rate_started: started, rate_waiting: waiting, rate_next_at: next_at } = row;
  return toRateView({ rate_key, rate_limit, rate_per_ms, started, waiting, next_at });
}

const READ_POOLS = `
WITH worker AS MATERIALIZED (
  SELECT p.id, p.role, pool, p.pools, p.offers FROM process p CROSS JOIN unnest(p.pools) AS pool
  WHERE p.namespace = $1 AND p.role = 'worker' AND ${isLive('p', '$2')}
), task_of AS MATERIALIZED (
  SELECT t.pool, t.need, count(*)::integer AS tasks FROM task t WHERE t.namespace = $1 AND t.deleted_at IS NULL GROUP BY t.pool, t.need
), load AS MATERIALIZED (
  SELECT o.pool, o.need, (count(*) FILTER (WHERE o.state <> 'running'))::integer AS waiting,
    (count(*) FILTER (WHERE o.state = 'running'))::integer AS running, min(o.due_at) FILTER (WHERE o.state <> 'running') AS oldest
  FROM (${ofEachGoingOn(
    (isOfPhase) => `SELECT r.pool, r.need, r.state, r.due_at FROM run r WHERE r.namespace = $1 AND ${isOfPhase}
    AND (r.state = 'running' OR r.due_at <= now())`,
  )}) o
  GROUP BY o.pool, o.need
), queue AS MATERIALIZED (
  SELECT q.pool, q.need, coalesce(sum(q.tasks), 0)::integer AS tasks, coalesce(sum(q.waiting), 0)::integer AS waiting,
    coalesce(sum(q.running), 0)::integer AS running, min(q.oldest) AS oldest
  FROM (SELECT pool, need, tasks, 0 AS waiting, 0 AS running, NULL::timestamptz AS oldest FROM task_of
    UNION ALL SELECT pool, need, 0, waiting, running, oldest FROM load) q
  GROUP BY q.pool, q.need
), named AS (
  SELECT name FROM pool WHERE namespace = $1 UNION SELECT pool FROM worker UNION SELECT pool FROM queue
)
SELECT n.name, o.paused_from, o.paused_until, o.pause_note, o.paused_by, p.expected_workers,
  coalesce(p.priorities, true) AS priorities, p.created_at, p.updated_at,
  ARRAY(SELECT w.id FROM worker w WHERE w.pool = n.name ORDER BY w.id) AS workers,
  rate.rate_key, rate.rate_limit, rate.rate_per_ms, rate.started AS rate_started, rate.waiting AS rate_waiting, rate.next_at AS rate_next_at,
  s.*
FROM named n
LEFT JOIN pool p ON p.namespace = $1 AND p.name = n.name
LEFT JOIN pool o ON o.namespace = $1 AND o.name = n.name AND ${restsNow('o')}
LEFT JOIN LATERAL (SELECT ${RATE_COLUMNS}
  FROM (SELECT p.namespace, pool_rate_key(p.name) AS rate_key, p.rate_limit, p.rate_per_ms) t) rate ON p.rate_limit IS NOT NULL
CROSS JOIN LATERAL (
  SELECT coalesce(sum(q.tasks), 0)::integer AS tasks, coalesce(sum(q.waiting), 0)::integer AS waiting,
    coalesce(sum(q.running), 0)::integer AS running, min(q.oldest) AS oldest,
    jsonb_agg(jsonb_build_object('need', q.need, 'app', ${appOf('q.need')}, 'tasks', q.tasks, 'waiting', q.waiting, 'running', q.running,
      'workers', (SELECT count(DISTINCT w.id) FROM worker w WHERE ${canServe('w', 'q')})) ORDER BY q.need NULLS FIRST) AS queues
  FROM queue q WHERE q.pool = n.name) s
WHERE $3::text IS NULL OR n.name = $3
ORDER BY n.name`;
