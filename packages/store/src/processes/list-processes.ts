import { type Database, query } from '../postgres/database.ts';
import type { ProcessInfo } from './heartbeat.ts';
import { isLive } from './is-live.ts';

/** A scheduler or worker that has not shut down. Ages by Postgres' clock. */
export interface LiveProcess extends Omit<ProcessInfo, 'tzVersion'> {
  /** Null: it does not say. */
  tzVersion: string | null;
  heartbeatAgeMs: number;
  /** Of a scheduler's last completed planner pass; null: none yet, or a worker. */
  plannedAgeMs: number | null;
  clockOffsetMs: number | null;
  /** Runs it says it holds. */
  activeRuns: number;
}

/** Schedulers and workers of the namespace that have sent a heartbeat within `withinMs` and have not shut down. */
export async function listProcesses(db: Database, options: { withinMs: number }): Promise<LiveProcess[]> {
  return await query<LiveProcess & { [column: string]: unknown }>(
    db.pool,
    'list_processes',
    `SELECT id, role, host, pid, app_version AS "appVersion", pools, offers, exposes, tz_version AS "tzVersion",
       (extract(epoch FROM now() - heartbeat_at) * 1000)::float8 AS "heartbeatAgeMs",
       (extract(epoch FROM now() - planned_at) * 1000)::float8 AS "plannedAgeMs",
       clock_offset_ms AS "clockOffsetMs", cardinality(active_runs) AS "activeRuns"
     FROM process p
     WHERE namespace = $1 AND ${isLive('p', '$2')}
     ORDER BY role, id`,
    [db.namespace, options.withinMs],
  );
}

/** Milliseconds since any scheduler of the namespace last completed a planner pass; null: none ever did. */
export async function sincePlannerPass(db: Database): Promise<number | null> {
  const [row] = await query<{ ms: number | null }>(
    db.pool,
    'since_planner_pass',
    `SELECT round(extract(epoch FROM now() - max(planned_at)) * 1000)::float8 AS ms FROM process
     WHERE namespace = $1 AND role = 'scheduler'`,
    [db.namespace],
  );
  return row?.ms ?? null;
}
