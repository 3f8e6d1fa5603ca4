import { type Database, query } from '../postgres/database.ts';
import { covers } from '../runs/admission.ts';
import { isLeftToCron } from '../shadow/handovers.ts';

/** What a pool has to do, whatever workers it has: what says how many it should have. */
export interface PoolDemand {
  /** Runs at work. */
  running: number;
  /** Runs that are due and have not begun. While the pool is paused, and for longer than the lead, this and what follows is 0. */
  due: number;
  /** Keys for which runs wait, each counted once: one of them begins when the key is free, or its rate lets it. */
  waiting: number;
  /** Tasks with a run that falls due within the lead, each counted once: runs of a task seldom want to be at work at once. */
  soon: number;
}

/** Of a kind no more are counted: somebody asks every few seconds, and no fleet has so many workers. */
const MOST_COUNTED = 100_000;

/**
 * What a pool has to do from now until `leadMs` from now. What a person has to decide on does not count; what needs something that
 * no worker of the pool has counts as all else.
 */
export async function poolDemand(db: Database, name: string, { leadMs }: { leadMs: number }): Promise<PoolDemand> {
  const [row] = await query<PoolDemand & { [column: string]: unknown }>(db.hot, 'pool_demand', POOL_DEMAND, [
    db.namespace,
    name,
    leadMs,
  ]);
  if (!row) throw new TypeError('a statement without FROM answers with one row');
  return row;
}

const UNTIL = `now() + $3 * interval '1 ms'`;

/** Running runs were due. Each phase has an index by due time. */
const open = (phase: string): string =>
  `(SELECT r.id, r.task_id, r.state, r.due_at FROM run r WHERE r.namespace = $1 AND r.phase = '${phase}' AND r.due_at <= ${UNTIL}
    AND r.pool = $2 ORDER BY r.due_at LIMIT ${MOST_COUNTED})`;

const unlessPaused = (count: string): string =>
  `CASE WHEN EXISTS (SELECT FROM paused) THEN 0 ELSE (${count}) END::integer`;

// A row is made some seconds before it is due: until then the task says when that is.
const POOL_DEMAND = `
WITH paused AS MATERIALIZED (
  SELECT FROM pool p WHERE p.namespace = $1 AND p.name = $2 AND p.paused_from <= now() AND (p.paused_until IS NULL OR p.paused_until > ${UNTIL})
), open AS MATERIALIZED (
  ${['live', 'untold', 'repeating'].map(open).join(' UNION ALL ')}
), waiting AS (
  SELECT r.key FROM run r WHERE r.namespace = $1 AND r.phase = 'waiting' AND r.pool = $2 LIMIT ${MOST_COUNTED}
), soon AS (
  SELECT coalesce(o.task_id, o.id) AS id FROM open o WHERE o.state <> 'running' AND o.due_at > now()
  UNION SELECT t.id FROM task_plan plan JOIN task t ON t.id = ANY (ARRAY[plan.task_id])
  WHERE plan.namespace = $1 AND plan.next_run_at IS NOT NULL AND plan.plan_at <= ${UNTIL} AND t.pool = $2 AND t.deleted_at IS NULL
    AND NOT ${isLeftToCron('t', 'plan.next_run_at')}
    AND NOT EXISTS (SELECT FROM task_pause p WHERE p.task_id = t.id AND ${covers('p', 'plan.next_run_at')})
    AND NOT EXISTS (SELECT FROM fleet_freeze z WHERE z.namespace = $1 AND ${covers('z', 'plan.next_run_at')})
)
SELECT (SELECT count(*) FROM open WHERE state = 'running')::integer AS running,
  ${unlessPaused(`SELECT count(*) FROM open WHERE state <> 'running' AND due_at <= now()`)} AS due,
  ${unlessPaused('SELECT count(DISTINCT key) FROM waiting')} AS waiting,
  ${unlessPaused('SELECT count(*) FROM soon')} AS soon`;
