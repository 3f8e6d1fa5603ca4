import type { By } from '@escapement/core';
import { nameIn, noteAction, reasonIn, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { isLive } from './is-live.ts';

/** A worker that has not shut down, as people look at it. */
export interface WorkerView {
  id: string;
  /** What it is called, also when it is started again; null: it did not say. */
  name: string | null;
  host: string;
  pid: number;
  /** Of the program. */
  appVersion: string;
  pools: string[];
  startedAt: Date;
  /** Runs it says it holds. */
  activeRuns: number;
  /** It is to take nothing new; null: it takes what comes. */
  drain: Drain | null;
}

export interface Drain {
  askedAt: Date;
  askedBy: string;
  note: string | null;
  /** It has known for a heartbeat or more, and holds no run. */
  isEmpty: boolean;
}

/** Workers of the namespace that have sent a heartbeat within `withinMs` and have not shut down. */
export async function readWorkers(db: Database, options: { withinMs: number }): Promise<WorkerView[]> {
  const rows = await query<WorkerView & { [column: string]: unknown }>(db.pool, 'read_workers', READ_WORKERS, [
    db.namespace,
    options.withinMs,
  ]);
  return rows.map((row) => ({ ...row, drain: row.drain && withDate(row.drain) }));
}

/** JSON has no dates. */
function withDate(drain: Drain): Drain {
  return { ...drain, askedAt: new Date(drain.askedAt) };
}

// It learns of it by the answer to a heartbeat, and then may have been about to begin a run: the next one has that.
const READ_WORKERS = `
SELECT id, name, host, pid, app_version AS "appVersion", pools, started_at AS "startedAt", cardinality(active_runs) AS "activeRuns",
  CASE WHEN drain_asked_at IS NOT NULL THEN jsonb_build_object('askedAt', drain_asked_at, 'askedBy', drain_asked_by, 'note', drain_note,
    'isEmpty', coalesce(prev_heartbeat_at > drain_asked_at, false) AND cardinality(active_runs) = 0) END AS drain
FROM process p
WHERE namespace = $1 AND role = 'worker' AND ${isLive('p', '$2')}
ORDER BY id`;

/** Has a worker take nothing new from its next heartbeat on. False: it is gone, or is asked already. */
export async function drainWorker(db: Database, id: string, by: By): Promise<boolean> {
  const rows = await query(db.pool, 'drain_worker', DRAIN, [db.namespace, id, toActing(by)]);
  return rows.length > 0;
}

const NOTED = (action: string, from: string) =>
  `${noteAction({ by: '$3', action: `'${action}'`, subject: "'worker:' || $2::text", from })} RETURNING 1 AS done`;

const DRAIN = `
WITH asked AS (
  UPDATE process SET drain_asked_at = now(), drain_asked_by = ${nameIn('$3')}, drain_note = ${reasonIn('$3')}
  WHERE namespace = $1 AND id = $2 AND role = 'worker' AND stopped_at IS NULL AND drain_asked_at IS NULL
  RETURNING id
)
${NOTED('drain', 'asked')}`;

/** Has it take runs again. False: it is gone, or was not asked to drain. */
export async function resumeWorker(db: Database, id: string, by: By): Promise<boolean> {
  const rows = await query(db.pool, 'resume_worker', RESUME, [db.namespace, id, toActing(by)]);
  return rows.length > 0;
}

const RESUME = `
WITH resumed AS (
  UPDATE process SET drain_asked_at = NULL, drain_asked_by = NULL, drain_note = NULL
  WHERE namespace = $1 AND id = $2 AND role = 'worker' AND stopped_at IS NULL AND drain_asked_at IS NOT NULL
  RETURNING id
)
${NOTED('resume', 'resumed')}`;
