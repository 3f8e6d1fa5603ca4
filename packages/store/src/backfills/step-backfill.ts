import type { By, RunOrigin, RunState } from '@escapement/core';
import { noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { RATE_KEY } from '../rates/rate-key.ts';
import { inTurn } from '../runs/overlap-policies.ts';
import { WAKE_CHANNEL } from '../runs/trigger-run.ts';

/** The rows that occurrences of a task have already, by instant; one that lies in a stretch has the stretch's. */
export async function occurrenceRows(
  db: Database,
  taskId: string,
  instants: readonly Date[],
): Promise<Map<number, { runId: string; state: RunState }>> {
  const rows = await query<{ at: Date; id: string; state: RunState }>(
    db.pool,
    'occurrence_rows',
    // The last occurrence row at or before an instant is its own, or a stretch that may reach so far.
    `SELECT i.at, r.id, r.state
     FROM unnest($2::timestamptz[]) AS i(at) CROSS JOIN LATERAL (
       SELECT r.id, r.state, r.scheduled_for, r.until_at FROM any_run r
       WHERE r.task_id = $1 AND r.namespace = $3 AND r.scheduled_for <= i.at
         AND r.distinct_by = '00000000-0000-0000-0000-000000000000'
       ORDER BY r.scheduled_for DESC LIMIT 1) r
     WHERE i.at <= coalesce(r.until_at, r.scheduled_for)`,
    [taskId, instants.map((at) => at.toISOString()), db.namespace],
  );
  return new Map(rows.map((row) => [row.at.getTime(), { runId: row.id, state: row.state }]));
}

export interface BackfillRun {
  id: string;
  scheduledFor: Date;
  origin: Extract<RunOrigin, 'backfill' | 'rerun'>;
  key: string;
  rerunOf: string | null;
}

export interface BackfillStep {
  id: string;
  /** The backfill's seq as it was read. */
  seq: number;
  cursorAt: Date | null;
  kept: number;
  /** Null: it goes on. */
  end: { state: 'done' | 'stopped'; error: string | null } | null;
  runs: readonly BackfillRun[];
}

/**
 * Takes a backfill one step on: its runs and how far it has come, in one statement, so that a crash neither loses nor
 * doubles an occurrence. False: another scheduler took that step, or it was stopped. Its runs wait their turn in the
 * key instead of being skipped by their own crowd.
 */
export async function stepBackfill(db: Database, step: BackfillStep): Promise<boolean> {
  const [row] = await query<{ moved: boolean }>(db.pool, 'step_backfill', STEP_BACKFILL, [
    step.id,
    step.seq,
    step.cursorAt?.toISOString() ?? null,
    step.kept,
    step.end?.state ?? 'running',
    step.end?.error ?? null,
    step.runs.map((run) => run.id),
    step.runs.map((run) => run.scheduledFor.toISOString()),
    step.runs.map((run) => run.origin),
    step.runs.map((run) => run.key),
    step.runs.map((run) => run.rerunOf),
    WAKE_CHANNEL,
    db.namespace,
  ]);
  return row?.moved ?? false;
}

const STEP_BACKFILL = `
WITH moved AS (
  UPDATE backfill SET seq = seq + 1, cursor_at = coalesce($3, cursor_at), kept = kept + $4,
    made = made + cardinality($7::uuid[]), state = $5, error = $6,
    ended_at = CASE WHEN $5 = 'running' THEN NULL ELSE now() END
  WHERE namespace = $13 AND id = $1 AND seq = $2 AND state = 'running'
  RETURNING id, task_id, requested_by
), inserted AS (
  INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
    overlap, pool, need, due_at, requested_by, rerun_of, backfill_id, rate_key)
  SELECT n.id, n.scheduled_for, t.namespace, t.id, t.version, t.plan_epoch, n.origin, 'planned', n.key, t.key_limit,
    ${inTurn('t.overlap')}, t.pool, t.need, now(), m.requested_by, n.rerun_of, m.id, ${RATE_KEY('t')}
  FROM moved m JOIN task t ON t.id = m.task_id AND t.deleted_at IS NULL
  CROSS JOIN unnest($7::uuid[], $8::timestamptz[], $9::text[], $10::text[], $11::uuid[])
    AS n(id, scheduled_for, origin, key, rerun_of)
  ON CONFLICT DO NOTHING
), woken AS (
  SELECT pg_notify($12, $13) FROM moved
)
SELECT EXISTS (SELECT FROM moved) AS moved, (SELECT count(*) FROM woken)`;

/** Goes on with a backfill that was stopped, where it had come to. False: it is not stopped. */
export async function resumeBackfill(db: Database, id: string, by: By): Promise<boolean> {
  const rows = await query(
    db.pool,
    'resume_backfill',
    `WITH resumed AS (
       UPDATE backfill SET state = 'running', ended_at = NULL, error = NULL, seq = seq + 1
       WHERE namespace = $1 AND id = $2 AND state = 'stopped' RETURNING id
     ), noted AS (
       ${noteAction({ by: '$3', action: "'resume'", subject: "'backfill:' || resumed.id", from: 'resumed' })}
     )
     SELECT FROM resumed`,
    [db.namespace, id, toActing(by)],
  );
  return rows.length > 0;
}
