import { type JoinPayload, type Json, storableText } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { isBatchOf } from '../postgres/scope.ts';
import { RATE_KEY } from '../rates/rate-key.ts';
import { CANCEL_CHANNEL } from '../runs/cancel-run.ts';
import { inTurn } from '../runs/overlap-policies.ts';
import type { DispatchableRun } from '../runs/plan-runs.ts';
import { WAKE_CHANNEL } from '../runs/trigger-run.ts';
import type { BatchRow } from './batch-row.ts';

/** Counts the children that have ended since the last time, each once. Null: there is no such batch. */
export async function countBatch(db: Database, batchId: string): Promise<BatchRow | null> {
  const [row] = await query<BatchRow>(db.pool, 'count_batch', 'SELECT * FROM count_batch($1, $2)', [
    db.namespace,
    batchId,
  ]);
  return row ?? null;
}

/** Items of a batch that have no run yet, so many from an index on. */
export async function batchItems(db: Database, batchId: string, from: number, count: number): Promise<Json[]> {
  const rows = await query<{ item: Json }>(
    db.pool,
    'batch_items',
    `SELECT i.item FROM generate_series($2::integer, $2 + $3 - 1) AS g(index)
     CROSS JOIN LATERAL (SELECT p.items -> (g.index - p.first) AS item FROM batch_page p
       WHERE p.batch_id = $1 AND p.first <= g.index ORDER BY p.first DESC LIMIT 1) i
     WHERE ${isBatchOf('$4', '$1')} ORDER BY g.index`,
    [batchId, from, count, db.namespace],
  );
  return rows.map(({ item }) => item);
}

/**
 * Makes the next children, with the run that follows the last one that was seen made. Empty: somebody else has, or the
 * task was deleted. Their jobs are to be added.
 */
export async function makeChildren(
  db: Database,
  next: { batchId: string; made: number; count: number; keys: readonly string[] | null },
): Promise<DispatchableRun[]> {
  const rows = await query<{
    id: string;
    scheduled_for: Date;
    queue: string;
    due_at: Date;
    dispatch: number;
    traceparent: string | null;
  }>(db.pool, 'make_children', 'SELECT * FROM make_children($1, $2, $3, $4, $5::text[])', [
    db.namespace,
    next.batchId,
    next.made,
    next.count,
    next.keys,
  ]);
  return rows.map((row) => ({
    id: row.id,
    scheduledFor: row.scheduled_for,
    queue: row.queue,
    dueAt: row.due_at,
    dispatch: row.dispatch,
    traceparent: row.traceparent,
  }));
}

/** The same where its task is gone. False: it is there. */
export async function stopIfDeleted(db: Database, batchId: string): Promise<boolean> {
  const rows = await query(
    db.pool,
    'stop_batch_of_deleted',
    `UPDATE batch b SET state = 'stopping', reason = 'its task was deleted'
     WHERE b.namespace = $2 AND b.id = $1 AND b.state = 'running'
       AND NOT EXISTS (SELECT FROM task t WHERE t.id = b.task_id AND t.deleted_at IS NULL) RETURNING 1`,
    [batchId, db.namespace],
  );
  return rows.length > 0;
}

/** Makes no more children. Those that are open go on. */
export async function stopBatch(db: Database, batchId: string, reason: string): Promise<void> {
  await query(
    db.pool,
    'stop_batch',
    `UPDATE batch SET state = 'stopping', reason = $2 WHERE namespace = $3 AND id = $1 AND state = 'running'`,
    [batchId, storableText(reason), db.namespace],
  );
}

export interface Join {
  /** Of the run that joins. */
  id: string;
  scheduledFor: Date;
  taskId: string;
  key: string;
  payload: JoinPayload;
}

/**
 * Ends a batch all of whose children have ended, and makes the run that joins it, in the same write. False: it is not so,
 * or somebody else did it.
 */
export async function finishBatch(
  db: Database,
  batchId: string,
  { join, reason }: { join: Join | null; reason: string | null },
): Promise<boolean> {
  const [row] = await query<{ ended: boolean }>(db.pool, 'finish_batch', FINISH_BATCH, [
    batchId,
    reason === null ? null : storableText(reason),
    join?.id ?? null,
    join?.scheduledFor.toISOString() ?? null,
    join?.taskId ?? null,
    join?.key ?? null,
    join ? JSON.stringify(join.payload) : null,
    WAKE_CHANNEL,
    db.namespace,
  ]);
  // Equivalent mutant (boolean): the statement always answers with a row.
  return row?.ended ?? false;
}

const FINISH_BATCH = `
WITH ended AS (
  UPDATE batch b SET state = CASE WHEN b.state = 'cancelling' THEN 'cancelled' ELSE 'done' END, ended_at = now(),
    reason = coalesce($2, b.reason)
  WHERE b.namespace = $9 AND b.id = $1 AND b.succeeded + b.skipped + b.failed = b.made
    AND (b.state IN ('stopping', 'cancelling') OR b.state = 'running' AND b.made = b.total)
  RETURNING b.*
), cleared AS (
  DELETE FROM batch_page p USING ended e WHERE p.batch_id = e.id
), joined AS (
  INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
    overlap, pool, need, due_at, payload, cause_run_id, traceparent, rate_key)
  SELECT $3, $4, t.namespace, t.id, t.version, t.plan_epoch, 'chain', 'planned', $6, t.key_limit,
    ${inTurn('t.overlap')}, t.pool, t.need, now(), $7::jsonb, e.run_id, e.traceparent, ${RATE_KEY('t', '$7::jsonb')}
  FROM ended e JOIN task t ON t.id = $5 AND t.namespace = $9 AND t.deleted_at IS NULL
  WHERE e.state = 'done'
), woken AS (
  SELECT pg_notify($8, $9) FROM ended
)
SELECT EXISTS (SELECT FROM ended) AS ended, (SELECT count(*) FROM woken)`;

/** Asks for the end of open children of a batch that is cancelled, as many at once. Those that others hold come next time. */
export async function cancelChildren(db: Database, batch: BatchRow, limit: number): Promise<number> {
  const [row] = await query<{ asked: number }>(db.pool, 'cancel_children', CANCEL_CHILDREN, [
    batch.id,
    batch.created_at.toISOString(),
    batch.made,
    batch.cancelled_by,
    batch.reason,
    limit,
    CANCEL_CHANNEL,
    db.namespace,
  ]);
  return row?.asked ?? 0;
}

const CANCEL_CHILDREN = `
WITH picked AS MATERIALIZED (
  SELECT r.id, r.scheduled_for FROM run r
  WHERE r.scheduled_for = $2 AND r.id >= batch_child($1, 0) AND r.id < batch_child($1, $3)
    AND r.namespace = $8 AND r.finished_at IS NULL AND r.state <> 'unknown' AND r.cancel_requested_at IS NULL
  ORDER BY r.id LIMIT $6 FOR UPDATE SKIP LOCKED
), asked AS (
  UPDATE run r SET cancel_requested_at = now(), cancel_requested_by = $4, cancel_reason = $5
  FROM picked p WHERE r.id = p.id AND r.scheduled_for = p.scheduled_for
  RETURNING r.state
), told AS (
  SELECT pg_notify($7, $8) FROM asked WHERE state = 'running' LIMIT 1
)
SELECT (SELECT count(*) FROM asked)::integer AS asked, (SELECT count(*) FROM told)`;
