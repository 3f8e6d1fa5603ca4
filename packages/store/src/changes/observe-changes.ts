import type { RunState } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { isLive } from '../processes/is-live.ts';

/** How a run stands. */
export interface RunStatus {
  id: string;
  taskName: string;
  state: RunState;
  attempt: number;
  /** When it began, or ended. */
  at: Date;
}

/** Runs that are being executed, or wait between two attempts; at most so many. */
export async function runsUnderWay(db: Database, limit: number): Promise<RunStatus[]> {
  return await query<RunStatus & { [column: string]: unknown }>(
    db.pool,
    'runs_under_way',
    `SELECT r.id, t.name AS "taskName", r.state, r.attempt, r.started_at AS at FROM any_run r JOIN task t ON t.id = r.task_id
     WHERE r.namespace = $1 AND r.phase = 'live' AND r.state IN ('running', 'retrying') AND r.started_at IS NOT NULL LIMIT $2`,
    [db.namespace, limit],
  );
}

/** Runs that have ended then or later, in this order; at most so many. Planned anew each time, as `endedRuns` is. */
export async function runsEndedSince(db: Database, since: Date, limit: number): Promise<RunStatus[]> {
  return await query<RunStatus & { [column: string]: unknown }>(
    db.pool,
    '',
    `SELECT r.id, t.name AS "taskName", r.state, r.attempt, r.finished_at AS at FROM any_run r JOIN task t ON t.id = r.task_id
     WHERE r.namespace = $1 AND r.finished_at >= $2::timestamptz ORDER BY r.finished_at, r.id LIMIT $3`,
    [db.namespace, since.toISOString(), limit],
  );
}

/** What a person or program has done, to what. */
export interface ActionDone {
  id: number;
  /** As `task:NAME`, `run:ID`. */
  subject: string;
  action: string;
}

/** What was done then or later, the latest first; at most so many. */
export async function actionsSince(db: Database, since: Date, limit: number): Promise<ActionDone[]> {
  return await query<ActionDone & { [column: string]: unknown }>(
    db.pool,
    'acts_since',
    `SELECT id::float8 AS id, subject, action FROM audit
     WHERE namespace = $1 AND at >= $2::timestamptz AND NOT refused ORDER BY at DESC, audit.id DESC LIMIT $3`,
    [db.namespace, since.toISOString(), limit],
  );
}

/** Digests that differ where something about alerts, about the processes of the fleet, or in what hosts have told of cron, is another. */
export interface Digests {
  alerts: string;
  fleet: string;
  /** When something was last told; empty: nothing was of late. */
  crontabs: string;
}

/**
 * `deadMs`: by what a process is taken for dead. `committedMs`: what a host told so long ago is committed by now; what it has told since is in
 * no digest yet. `lateMs`: so far back that is looked for.
 */
export async function changeDigests(
  db: Database,
  { deadMs, committedMs, lateMs }: { deadMs: number; committedMs: number; lateMs: number },
): Promise<Digests> {
  const [row] = await query<Digests & { [column: string]: unknown }>(db.pool, 'change_digests', DIGESTS, [
    ...[db.namespace, deadMs, committedMs, lateMs],
  ]);
  return row ?? { alerts: '', fleet: '', crontabs: '' };
}

const DIGESTS = `SELECT
  (SELECT coalesce(md5(string_agg(concat_ws(' ', a.id, a.state, a.severity, a.muted), ',' ORDER BY a.id)), '')
   FROM alert a WHERE a.namespace = $1 AND a.state <> 'resolved') AS alerts,
  (SELECT coalesce(md5(string_agg(concat_ws(' ', p.id, p.drain_asked_at), ',' ORDER BY p.id)), '')
   FROM process p WHERE p.namespace = $1 AND ${isLive('p', '$2')}) AS fleet,
  (SELECT coalesce(max(c.told_at)::text, '') FROM cron_report c WHERE c.namespace = $1 AND c.told_at >= now() - $4 * interval '1 ms'
     AND c.told_at < now() - $3 * interval '1 ms') AS crontabs`;
