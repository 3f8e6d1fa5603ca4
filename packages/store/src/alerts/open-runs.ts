import type { RunState } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { type TaskForAlert, taskForAlert } from './facts.ts';

/** An open run that may be what a rule means. */
export interface RunForAlert {
  id: string;
  scheduledFor: Date;
  state: RunState;
  key: string;
  reason: string | null;
  /** Since when it is so: late since it was due, waiting since it waits, slow since it runs, silent since its last sign of life. */
  since: Date;
  /** For how long, by Postgres' clock. Milliseconds. */
  forMs: number;
  blockedBy: string | null;
  worker: string | null;
  task: TaskForAlert;
}

export type OpenRunKind = 'late' | 'waiting' | 'slow' | 'silent' | 'unknown' | 'held';

/** Of a kind no more are looked at: those for which it is so for longest. */
const MOST = 5000;

/** Open runs of which this is so for so long. */
export async function runsForAlert(db: Database, kind: OpenRunKind, leastMs: number): Promise<RunForAlert[]> {
  return await query<RunForAlert & { [column: string]: unknown }>(
    db.pool,
    `runs_for_alert_${kind}`,
    `WITH found AS MATERIALIZED (${FOUND[kind]} ORDER BY since LIMIT ${MOST})
     SELECT f.id, f.scheduled_for AS "scheduledFor", f.state, f.key, f.reason, f.since,
       round(extract(epoch FROM now() - f.since) * 1000)::float8 AS "forMs", f.blocked_by AS "blockedBy", f.worker, ${taskForAlert('t')} AS task
     FROM found f JOIN task t ON t.id = f.task_id WHERE f.since <= now() - $2 * interval '1 ms' ORDER BY f.since, f.id`,
    [db.namespace, leastMs, ...(FOUND[kind].includes(FROM) ? [db.openFrom.runs] : [])],
  );
}

/** Where looks at due runs begin: see `OpenFrom`. */
const FROM = '$3::timestamptz';

const found = (since: string, where: string): string =>
  `SELECT r.id, r.scheduled_for, r.state, r.key, r.reason, r.blocked_by, r.worker, r.task_id, ${since} AS since FROM run r
   WHERE r.namespace = $1 AND ${where}`;

const late = (phase: string): string =>
  `(${found('r.due_at', `r.phase = '${phase}' AND r.due_at >= ${FROM} AND r.due_at <= now() - $2 * interval '1 ms' AND r.state <> 'running' AND r.attempt = 0`)}
    ORDER BY r.due_at LIMIT ${MOST})`;

const IS_RUNNING = `r.phase = 'live' AND r.state = 'running' AND r.due_at >= ${FROM}`;

const LAST_SIGN = `greatest(r.started_at, (r.progress->>'at')::timestamptz,
  (SELECT max(c.written_at) FROM run_log_chunk c WHERE c.run_id = r.id AND c.written_at >= r.started_at - interval '1 min'))`;

const FOUND: Record<OpenRunKind, string> = {
  late: ['live', 'untold', 'repeating'].map(late).join(' UNION ALL '),
  waiting: found('r.waiting_since', `r.phase = 'waiting' AND r.waiting_since <= now() - $2 * interval '1 ms'`),
  slow: found('r.started_at', `${IS_RUNNING} AND r.started_at <= now() - $2 * interval '1 ms'`),
  silent: found(LAST_SIGN, `${IS_RUNNING} AND r.started_at <= now() - $2 * interval '1 ms'`),
  unknown: found('coalesce(r.started_at, r.due_at)', `r.phase = 'unknown'`),
  held: found('r.due_at', `r.phase = 'held'`),
};
