import type { QueueBlock } from '@escapement/core';
import { restsNow } from '../pools/pause-of-pool.ts';
import { type Database, query } from '../postgres/database.ts';
import { toQueueBlocks } from '../reconcile/queue-blocks.ts';
import { covers } from '../runs/admission.ts';
import { isLive } from './is-live.ts';

/** How a namespace is, as numbers: what a monitoring system asks for every few seconds. Ages by Postgres' clock. */
export interface FleetFigures {
  /** Milliseconds since any scheduler last completed a planner pass; null: none ever did. */
  plannerPassAgeMs: number | null;
  /** For how long the task that has waited longest to be planned is overdue, in milliseconds; 0: none is. */
  plannerLagMs: number;
  /** Tasks that cannot be planned. */
  unplannable: number;
  /** Runs that wait for a person: held after an outage, or of unknown outcome. */
  held: number;
  unknown: number;
  /** Keys for which runs wait. */
  keysWaitedFor: number;
  /** Slots of keys that a run holds. */
  slotsHeld: number;
  /** Messages about alerts that are not delivered yet. */
  deliveriesPending: number;
  alertsFiring: number;
  /** Whether a freeze of the fleet is in force. */
  frozen: boolean;
  schedulers: number;
  /** What other programs have done to queues in Redis, so that their runs do not start. */
  queueBlocks: QueueBlock[];
  pools: PoolFigures[];
}

/** Of a pool that has open runs, settings, or living workers. Of more than 100,000 open runs of a kind those that are due last are not counted. */
export interface PoolFigures {
  pool: string;
  /** Runs that are queued, or will be: those that are not due yet as well. */
  queued: number;
  /** Of them, due for over a second. */
  overdue: number;
  /** For how long the one that has waited longest is overdue, in milliseconds. */
  longestMs: number;
  running: number;
  /** In the wait queue of their key. */
  waiting: number;
  /** Due for over a second, and no worker could load their code. */
  withoutCode: number;
  /** Living workers. */
  workers: number;
  /** Null: nobody said. */
  expectedWorkers: number | null;
  paused: boolean;
}

/** Reads it all in one statement, by indexes of what is open: no run that has ended is read. */
export async function fleetFigures(db: Database, options: { deadMs: number }): Promise<FleetFigures> {
  const [row] = await query<{ figures: FleetFigures }>(db.pool, 'fleet_figures', FLEET_FIGURES, [
    db.namespace,
    options.deadMs,
    db.openFrom.runs,
    db.openFrom.tasks,
  ]);
  if (!row) throw new TypeError('a statement without FROM answers with one row');
  return { ...row.figures, queueBlocks: toQueueBlocks(row.figures.queueBlocks) };
}

const ms = (interval: string): string => `round(extract(epoch FROM ${interval}) * 1000)::float8`;

/** Of a phase no more are counted: somebody asks every few seconds. */
const MOST_COUNTED = 100_000;

/** By their due time, which the index of each of these phases has: those that are left out are due last. */
const open = (phase: string): string =>
  `(SELECT r.pool, r.state, r.due_at FROM run r WHERE r.namespace = $1 AND r.phase = '${phase}' AND r.due_at >= $3 ORDER BY r.due_at LIMIT ${MOST_COUNTED})`;

const FLEET_FIGURES = `
WITH open AS MATERIALIZED (
  ${['live', 'untold', 'repeating'].map(open).join(' UNION ALL ')}
  UNION ALL (SELECT r.pool, r.state, r.due_at FROM run r WHERE r.namespace = $1 AND r.phase = 'waiting' LIMIT ${MOST_COUNTED})
), by_pool AS (
  SELECT o.pool, count(*) FILTER (WHERE o.state NOT IN ('running', 'waiting')) AS queued,
    count(*) FILTER (WHERE o.state NOT IN ('running', 'waiting') AND o.due_at < now() - interval '1 s') AS overdue,
    greatest(0, ${ms(`now() - min(o.due_at) FILTER (WHERE o.state NOT IN ('running', 'waiting'))`)}) AS longest,
    count(*) FILTER (WHERE o.state = 'running') AS running, count(*) FILTER (WHERE o.state = 'waiting') AS waiting
  FROM open o GROUP BY 1
), without_code AS (
  SELECT o.pool, count(*) AS runs FROM (
    SELECT r.pool, r.need FROM run r WHERE r.namespace = $1 AND r.phase = 'live' AND r.due_at >= $3 AND r.due_at < now() - interval '1 s'
    ORDER BY r.due_at LIMIT ${MOST_COUNTED}
  ) o WHERE o.need = 'code' GROUP BY 1
), alive AS MATERIALIZED (
  SELECT p.role, p.pools FROM process p WHERE p.namespace = $1 AND ${isLive('p', '$2')}
), workers AS (
  SELECT w.pool, count(*) AS workers FROM alive a CROSS JOIN unnest(a.pools) AS w(pool) WHERE a.role = 'worker' GROUP BY 1
), pools AS (
  SELECT coalesce(b.pool, w.pool, p.name) AS pool, b.queued, b.overdue, b.longest, b.running, b.waiting, w.workers, p.expected_workers,
    ${restsNow('p')} AS paused
  FROM by_pool b FULL JOIN workers w ON w.pool = b.pool
  FULL JOIN (SELECT * FROM pool WHERE namespace = $1) p ON p.name = coalesce(b.pool, w.pool)
)
SELECT jsonb_build_object(
  'plannerPassAgeMs', (SELECT ${ms('now() - max(p.planned_at)')} FROM process p WHERE p.namespace = $1 AND p.role = 'scheduler'),
  'plannerLagMs', coalesce((SELECT greatest(0, ${ms('now() - min(plan.plan_at)')}) FROM task_plan plan WHERE plan.namespace = $1 AND plan.next_run_at IS NOT NULL AND plan.plan_at >= $4), 0),
  'unplannable', (SELECT count(*) FROM task_plan plan WHERE plan.namespace = $1 AND plan.plan_error IS NOT NULL),
  'held', (SELECT count(*) FROM run r WHERE r.namespace = $1 AND r.phase = 'held'),
  'unknown', (SELECT count(*) FROM run r WHERE r.namespace = $1 AND r.phase = 'unknown'),
  'keysWaitedFor', (SELECT count(DISTINCT r.key) FROM run r WHERE r.namespace = $1 AND r.phase = 'waiting'),
  'slotsHeld', (SELECT count(*) FROM key_slot s WHERE s.namespace = $1 AND s.run_id IS NOT NULL),
  'deliveriesPending', (SELECT count(*) FROM delivery d WHERE d.namespace = $1 AND d.state = 'pending'),
  'alertsFiring', (SELECT count(*) FROM alert a WHERE a.namespace = $1 AND a.state = 'firing'),
  'frozen', EXISTS (SELECT FROM fleet_freeze f WHERE f.namespace = $1 AND ${covers('f', 'now()')}),
  'schedulers', (SELECT count(*) FROM alive a WHERE a.role = 'scheduler'),
  'queueBlocks', coalesce((SELECT q.blocked FROM queue_watch q WHERE q.namespace = $1), '[]'),
  'pools', coalesce((SELECT jsonb_agg(jsonb_build_object('pool', p.pool, 'queued', coalesce(p.queued, 0), 'overdue', coalesce(p.overdue, 0),
    'longestMs', coalesce(p.longest, 0), 'running', coalesce(p.running, 0), 'waiting', coalesce(p.waiting, 0),
    'withoutCode', coalesce((SELECT o.runs FROM without_code o WHERE o.pool = p.pool), 0),
    'workers', coalesce(p.workers, 0), 'expectedWorkers', p.expected_workers, 'paused', coalesce(p.paused, false)) ORDER BY p.pool)
    FROM pools p), '[]')) AS figures`;
