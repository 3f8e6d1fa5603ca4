import type { Json, RunOrigin } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { RATE_KEY } from '../rates/rate-key.ts';
import { notSkipped } from '../runs/overlap-policies.ts';
import type { DispatchableRun } from '../runs/plan-runs.ts';
import { WAKE_CHANNEL } from '../runs/trigger-run.ts';

/** A run that an outbox entry makes. */
export interface FollowerRun {
  /** The outbox entry. */
  noteId: string;
  id: string;
  scheduledFor: Date;
  /** As it was read; if the task has been changed since, the run is not made, and the outbox entry stays. */
  task: { id: string; version: number };
  origin: Extract<RunOrigin, 'chain' | 'lifecycle'>;
  key: string;
  payload: Json | undefined;
  ordinal: number;
  depth: number;
  /** The span that it continues; null: its trace begins with it. */
  traceparent: string | null;
  /** Skipped, with the reason, where the task is paused. */
  state: 'planned' | 'skipped';
  reason: string | null;
}

/** What becomes of an outbox entry. */
export interface OutboxOutcome {
  noteId: string;
  /** Null: all its runs are made. */
  error: string | null;
  /** With an error: when it is tried again, in milliseconds from now; null: never. */
  retryInMs: number | null;
}

/**
 * Makes runs that follow others and deletes their outbox entries, in one statement. Entries that somebody else is
 * carrying out, or has, are left out with their runs. Of one with an error those runs are made that can be; made again
 * they change nothing, since a cause has but one run of an ordinal. Returns those that are due, for the queue to be told
 * at once. They are `planned`: should whoever tells it die, the dispatcher does it within its next pass.
 */
export async function makeFollowers(
  db: Database,
  outcomes: readonly OutboxOutcome[],
  runs: readonly FollowerRun[],
): Promise<DispatchableRun[]> {
  const rows = await query<Row>(db.pool, 'make_followers', MAKE_FOLLOWERS, [
    outcomes.map((each) => each.noteId),
    outcomes.map((each) => each.error),
    outcomes.map((each) => each.retryInMs),
    runs.map((run) => run.noteId),
    runs.map((run) => run.id),
    runs.map((run) => run.scheduledFor.toISOString()),
    runs.map((run) => run.task.id),
    runs.map((run) => run.task.version),
    runs.map((run) => run.origin),
    runs.map((run) => run.key),
    runs.map((run) => (run.payload === undefined ? null : JSON.stringify(run.payload))),
    runs.map((run) => run.ordinal),
    runs.map((run) => run.depth),
    runs.map((run) => run.state),
    runs.map((run) => run.reason),
    db.namespace,
    runs.map((run) => run.traceparent),
  ]);
  return rows.map(({ scheduled_for, due_at, ...run }) => ({ ...run, scheduledFor: scheduled_for, dueAt: due_at }));
}

interface Row {
  id: string;
  scheduled_for: Date;
  queue: string;
  due_at: Date;
  dispatch: number;
  traceparent: string | null;
}

// One whose task lets nothing overlap waits its turn instead of being skipped: what follows a run must not be lost.
const MAKE_FOLLOWERS = `
WITH outcome AS MATERIALIZED (
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS i(note, error, retry_in_ms)
), wanted AS MATERIALIZED (
  SELECT w.*, t.id IS NOT NULL AS fits, t.namespace, t.plan_epoch, t.key_limit, t.overlap, t.pool, t.need, t.start_deadline_ms,
    ${RATE_KEY('t', 'w.payload')} AS rate_key
  FROM unnest($4::bigint[], $5::uuid[], $6::timestamptz[], $7::uuid[], $8::integer[], $9::text[], $10::text[], $11::jsonb[],
    $12::integer[], $13::integer[], $14::text[], $15::text[], $17::text[])
    AS w(note, id, scheduled_for, task_id, task_version, origin, key, payload, ordinal, depth, state, reason, traceparent)
  LEFT JOIN task t ON t.id = w.task_id AND t.namespace = $16 AND t.version = w.task_version AND t.deleted_at IS NULL
), picked AS MATERIALIZED (
  SELECT f.id, f.run_id, o.error, o.retry_in_ms FROM outcome o JOIN followers_outbox f ON f.id = o.note
  WHERE f.namespace = $16 AND f.given_up_at IS NULL
  ORDER BY f.id
  FOR UPDATE OF f SKIP LOCKED
), inserted AS (
  INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit,
    overlap, pool, need, due_at, start_by, finished_at, payload, cause_run_id, ordinal, depth, traceparent, rate_key)
  SELECT w.id, w.scheduled_for, w.namespace, w.task_id, w.task_version, w.plan_epoch, w.origin, w.state, w.reason, w.key,
    w.key_limit, ${notSkipped('w.overlap')}, w.pool, w.need, w.scheduled_for,
    w.scheduled_for + w.start_deadline_ms * interval '1 ms',
    CASE WHEN w.state = 'skipped' THEN now() END, w.payload, p.run_id, w.ordinal, w.depth, w.traceparent, w.rate_key
  FROM picked p JOIN wanted w ON w.note = p.id AND w.fits
  ON CONFLICT DO NOTHING
  RETURNING id, scheduled_for, queue_of(pool, need) AS queue, due_at, state, traceparent
), done AS (
  DELETE FROM followers_outbox f USING picked p
  WHERE f.id = p.id AND p.error IS NULL AND NOT EXISTS (SELECT FROM wanted w WHERE w.note = p.id AND NOT w.fits)
), failed AS (
  UPDATE followers_outbox f SET tries = f.tries + 1, error = p.error, not_before = now() + coalesce(p.retry_in_ms, 0) * interval '1 ms',
    given_up_at = CASE WHEN p.retry_in_ms IS NULL THEN now() END
  FROM picked p WHERE f.id = p.id AND p.error IS NOT NULL
), woken AS (
  SELECT pg_notify('${WAKE_CHANNEL}', $16) FROM inserted WHERE state = 'planned' AND due_at > now() LIMIT 1
)
SELECT id, scheduled_for, queue, due_at, 1 AS dispatch, traceparent FROM inserted
WHERE state = 'planned' AND due_at <= now() AND (SELECT count(*) FROM woken) >= 0`;
