import { type DurationDigest, quantileOf } from '@escapement/core';
import type { LabelFilter } from '@escapement/core/rights';
import { type Database, query } from '../postgres/database.ts';
import { hasLabels, toSelectors } from '../tasks/task-labels.ts';
import { RUN_VIEW, type RunRow, type RunView, toRunView } from './read-runs.ts';

/** A run that runs now, and how long runs of its task take. */
export interface RunningRun extends RunView {
  /** Null: no run of its task has ended in an hour that is over. */
  usual: { p50Ms: number; p99Ms: number; runs: number } | null;
}

export interface RunningAsked {
  /** Only of tasks with these. Default: of all. */
  labels?: LabelFilter | undefined;
  /** Only those that have run for more than twice the p99 of their task. Default false. */
  stuckOnly?: boolean | undefined;
  limit: number;
}

/** A run is stuck that has run for more than so many times as long as 99 of 100 runs of its task. */
const STUCK_TIMES = 2;
/** Of so many runs at least it must be known how long they took. */
const STUCK_RUNS = 20;
/** Durations are those of the latest hours in which something of the task ended: so many, none older than so many days. A week has 168 hours. */
const HOURS = 168;
const DAYS = 90;

type Row = RunRow & { took: DurationDigest | null; elapsed: number };

/**
 * The runs that run now, the one that began first before the others; of those that are stuck, the one first that is furthest beyond what
 * is usual. What is going on is little: all of it is looked at.
 */
export async function longestRunning(
  db: Database,
  { labels, stuckOnly = false, limit }: RunningAsked,
): Promise<RunningRun[]> {
  const values = [db.namespace, limit, ...(labels ? [toSelectors(labels)] : [])];
  const ofTasks = labels ? `AND ${OF_TASKS}` : '';
  const name = `${stuckOnly ? 'stuck' : 'longest'}_running${labels ? '_labels' : ''}`;
  const rows = await query<Row>(db.pool, name, withUsual((stuckOnly ? beyond : longest)(ofTasks)), values);
  return rows.filter((row) => !stuckOnly || isStuck(row)).map((row) => ({ ...toRunView(row), usual: usualOf(row) }));
}

function isStuck(row: Row): boolean {
  const usual = usualOf(row);
  return usual !== null && usual.runs >= STUCK_RUNS && row.elapsed > STUCK_TIMES * usual.p99Ms;
}

function usualOf({ took }: Row): RunningRun['usual'] {
  const [p50Ms, p99Ms] = [quantileOf(took ?? {}, 0.5), quantileOf(took ?? {}, 0.99)];
  if (p50Ms === null || p99Ms === null) return null;
  return { p50Ms, p99Ms, runs: Object.values(took ?? {}).reduce((sum, runs) => sum + runs, 0) };
}

const OF_TASKS = `(r.task_id IN (SELECT t.id FROM task t WHERE t.namespace = $1 AND ${hasLabels('t', '$3')})) IS TRUE`;
const RUNNING = `r.namespace = $1 AND r.phase = 'live' AND r.state = 'running' AND r.due_at <= now()`;

const longest = (ofTasks: string): string => `
  SELECT r.id, r.scheduled_for, r.task_id, row_number() OVER (ORDER BY r.started_at, r.id) AS place
  FROM run r WHERE ${RUNNING} ${ofTasks} ORDER BY place LIMIT $2`;

/** What is beyond the p99 is beyond the p95 as well, and that is at hand without the hours. */
const beyond = (ofTasks: string): string => `
  SELECT r.id, r.scheduled_for, r.task_id,
    row_number() OVER (ORDER BY extract(epoch FROM now() - r.started_at) / greatest(d.p95_ms, 1) DESC, r.id) AS place
  FROM run r JOIN task_duration d ON d.task_id = r.task_id AND d.runs >= ${STUCK_RUNS}
  WHERE ${RUNNING} AND r.started_at < now() - ${STUCK_TIMES} * d.p95_ms * interval '1 ms' ${ofTasks} ORDER BY place LIMIT $2`;

const withUsual = (chosen: string): string => `
WITH chosen AS MATERIALIZED (${chosen}), usual AS MATERIALIZED (
  SELECT c.task_id, u.took FROM (SELECT DISTINCT task_id FROM chosen) c CROSS JOIN LATERAL (
    SELECT jsonb_object_agg(b.bucket, b.runs) AS took FROM (
      SELECT one.key AS bucket, sum(one.value::integer) AS runs FROM (
        SELECT h.took FROM task_hour h WHERE h.task_id = c.task_id AND h.hour > now() - interval '${DAYS} days' ORDER BY h.hour DESC LIMIT ${HOURS}
      ) h CROSS JOIN LATERAL jsonb_each_text(h.took) one GROUP BY 1
    ) b
  ) u
)
SELECT ${RUN_VIEW}, u.took, extract(epoch FROM now() - r.started_at)::float8 * 1000 AS elapsed
FROM chosen c JOIN run r ON r.id = ANY (ARRAY[c.id]) AND r.scheduled_for = c.scheduled_for JOIN task t ON t.id = r.task_id
JOIN usual u ON u.task_id = c.task_id
ORDER BY c.place`;
