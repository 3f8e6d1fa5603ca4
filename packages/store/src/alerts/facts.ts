import type { RunState } from '@escapement/core';
import type { Labels } from '@escapement/core/rights';
import { type Database, query } from '../postgres/database.ts';

/** Something that the rules have to judge. */
export interface AlertFact {
  id: bigint;
  at: Date;
  /** With a run: what became of it. Null: it is about the ledger, or its run is not there any more. */
  run: EndedForAlert | null;
  /** What the verification of the ledger has found; null: nothing was wrong any more. */
  gaps: { gaps: number; named: string[] } | null;
  kind: 'run' | 'ledger';
}

/** A run that has ended, and its task, as rules ask for them. */
export interface EndedForAlert {
  id: string;
  scheduledFor: Date;
  state: RunState;
  reason: string | null;
  error: string | null;
  release: string | null;
  finishedAt: Date;
  occurrences: number;
  /** Why its end has paused the task; null: it has not. */
  pausedTask: string | null;
  task: TaskForAlert;
}

export interface TaskForAlert {
  id: string;
  name: string;
  labels: Labels;
  pool: string;
}

/** The task of a row as `TaskForAlert`. `task`: an alias with the columns of `task`. */
export const taskForAlert = (task: string): string =>
  `jsonb_build_object('id', ${task}.id, 'name', ${task}.name, 'labels', coalesce(${task}.definition->'labels', '{}'), 'pool', ${task}.pool)`;

interface FactRow {
  id: bigint;
  kind: 'run' | 'ledger';
  at: Date;
  gaps: AlertFact['gaps'];
  run_id: string | null;
  scheduled_for: Date;
  state: RunState;
  reason: string | null;
  error: string | null;
  release: string | null;
  finished_at: Date;
  occurrences: number;
  paused_task: string | null;
  task: TaskForAlert;
}

/** The oldest facts that nobody has judged, at most so many. */
export async function readAlertFacts(db: Database, limit: number): Promise<AlertFact[]> {
  const rows = await query<FactRow>(db.pool, 'read_alert_facts', READ_FACTS, [db.namespace, limit]);
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    at: row.at,
    gaps: row.gaps,
    run: row.run_id === null ? null : toEnded({ ...row, run_id: row.run_id }),
  }));
}

function toEnded(row: FactRow & { run_id: string }): EndedForAlert {
  return {
    id: row.run_id,
    scheduledFor: row.scheduled_for,
    state: row.state,
    reason: row.reason,
    error: row.error,
    release: row.release,
    finishedAt: row.finished_at,
    occurrences: row.occurrences,
    pausedTask: row.paused_task,
    task: row.task,
  };
}

const READ_FACTS = `
SELECT f.id, f.kind, f.created_at AS at, f.detail AS gaps, r.id AS run_id, r.scheduled_for, r.state, r.reason, r.error->>'message' AS error,
  d.release, coalesce(r.finished_at, f.created_at) AS finished_at, r.occurrences,
  (SELECT p.note FROM task_pause p WHERE p.task_id = r.task_id AND p.failures IS NOT NULL AND p.created_by = 'run:' || r.id LIMIT 1) AS paused_task,
  CASE WHEN t.id IS NOT NULL THEN ${taskForAlert('t')} END AS task
FROM (SELECT * FROM alert_fact WHERE namespace = $1 ORDER BY id LIMIT $2) f
LEFT JOIN any_run r ON r.id = ANY (ARRAY[f.run_id]) AND r.scheduled_for = f.scheduled_for
LEFT JOIN task t ON t.id = r.task_id
LEFT JOIN deployment d ON d.id = t.deployment_id
ORDER BY f.id`;

/** Notes what the verification of the ledger has found, for the rules. Null: nothing. */
export async function noteLedgerVerified(db: Database, gaps: AlertFact['gaps']): Promise<void> {
  await query(
    db.pool,
    'note_ledger_verified',
    `INSERT INTO alert_fact (namespace, kind, detail) SELECT $1, 'ledger', $2::jsonb
     WHERE $2::jsonb IS NOT NULL OR EXISTS (SELECT FROM alert a WHERE a.namespace = $1 AND a.kind = 'ledger-gap' AND a.state <> 'resolved')
       OR EXISTS (SELECT FROM alert_fact f WHERE f.namespace = $1 AND f.kind = 'ledger')`,
    [db.namespace, gaps && JSON.stringify(gaps)],
  );
}
