import type { BatchProgress, BatchRequest, Json } from '@escapement/core';
import { type CallingRun, callingRun, notCurrent } from '../calls/current-run.ts';
import { type Database, query } from '../postgres/database.ts';
import { type BatchRow, toBatchProgress } from './batch-row.ts';

export interface NewBatch extends Pick<BatchRequest, 'name' | 'order' | 'onError' | 'join'> {
  /** A UUIDv7 of `createdAt` whose last four bytes are 0. */
  id: string;
  createdAt: Date;
  taskId: string;
  /** Null: the children share a key of the batch. */
  key: string | null;
  concurrency: number;
  /** The span that the children, and the run that joins them, continue. Null: each begins a trace. */
  traceparent: string | null;
}

/** A batch as the ledger has it. */
export interface OpenedBatch extends BatchProgress {
  taskId: string;
  key: string | null;
}

/**
 * The batch of a run and name: a new one, or what an earlier attempt has left. Items that an earlier attempt gave and did
 * not complete are forgotten; of one that was completed nothing changes. Throws `run_not_current`.
 */
export async function openBatch(db: Database, run: CallingRun, batch: NewBatch): Promise<OpenedBatch> {
  const [row] = await query<BatchRow>(db.pool, 'open_batch', OPEN_BATCH, [
    ...callingRun(db, run),
    batch.id,
    batch.createdAt.toISOString(),
    batch.name,
    batch.taskId,
    batch.key,
    batch.concurrency,
    batch.order,
    batch.onError,
    batch.join ?? null,
    batch.traceparent,
  ]);
  if (!row) throw notCurrent(run);
  return { ...toBatchProgress(row), taskId: row.task_id, key: row.key };
}

// The run is locked, so that it is not taken for lost meanwhile, and another attempt begins to fill.
const OPEN_BATCH = `
WITH caller AS MATERIALIZED (
  SELECT r.id, r.scheduled_for, r.attempt FROM run r
  WHERE r.id = $1 AND r.scheduled_for = $2 AND r.state = 'running' AND run_is_current($1, $2, $3, $4, $5) FOR SHARE
), opened AS (
  INSERT INTO batch AS b (id, namespace, run_id, run_scheduled_for, name, task_id, key, concurrency, ordering, on_error,
    join_task, traceparent, filled_by, created_at)
  SELECT $6, $5, c.id, c.scheduled_for, $8, t.id, $10, $11, $12, $13, $14, $15, c.attempt, $7
  FROM caller c JOIN task t ON t.id = $9 AND t.namespace = $5
  ON CONFLICT (run_id, name) DO UPDATE SET filled_by = excluded.filled_by,
    total = CASE WHEN b.state = 'filling' THEN 0 ELSE b.total END
  RETURNING *
), cleared AS (
  DELETE FROM batch_page p USING opened o WHERE p.batch_id = o.id AND o.state = 'filling'
)
SELECT * FROM opened`;

/**
 * Adds items to a batch that this attempt fills, from `first` on. Repeated it changes nothing. False: the attempt does not
 * fill it any more. Throws `run_not_current`.
 */
export async function addToBatch(
  db: Database,
  run: CallingRun,
  page: { batchId: string; first: number; items: readonly Json[] },
): Promise<boolean> {
  const [row] = await query<{ current: boolean; added: boolean }>(db.pool, 'add_to_batch', ADD_TO_BATCH, [
    ...callingRun(db, run),
    page.batchId,
    page.first,
    page.items.length,
    JSON.stringify(page.items),
  ]);
  if (!row?.current) throw notCurrent(run);
  return row.added;
}

const ADD_TO_BATCH = `
WITH asked AS MATERIALIZED (
  SELECT run_is_current($1, $2, $3, $4, $5) AS current
), added AS (
  UPDATE batch b SET total = $7::integer + $8::integer FROM asked a
  WHERE a.current AND b.id = $6 AND b.run_id = $1 AND b.state = 'filling' AND b.filled_by = $3 AND b.total IN ($7::integer, $7::integer + $8::integer)
  RETURNING b.id
), paged AS (
  INSERT INTO batch_page (batch_id, first, items) SELECT id, $7::integer, $9::jsonb FROM added
  ON CONFLICT DO NOTHING
)
SELECT a.current, EXISTS (SELECT FROM added) AS added FROM asked a`;

/**
 * Says that a batch has all its items: from here on its children are made, also should the run end or die. Null: the
 * attempt does not fill it any more. Throws `run_not_current`.
 */
export async function sealBatch(db: Database, run: CallingRun, batchId: string): Promise<BatchProgress | null> {
  const [row] = await query<BatchRow & { current: boolean }>(db.pool, 'seal_batch', SEAL_BATCH, [
    ...callingRun(db, run),
    batchId,
  ]);
  if (!row?.current) throw notCurrent(run);
  return row.id === null ? null : toBatchProgress(row);
}

const SEAL_BATCH = `
WITH asked AS MATERIALIZED (
  SELECT run_is_current($1, $2, $3, $4, $5) AS current
), sealed AS (
  UPDATE batch b SET state = CASE WHEN b.state = 'filling' THEN 'running' ELSE b.state END, advanced_at = now() FROM asked a
  WHERE a.current AND b.id = $6 AND b.run_id = $1 AND b.filled_by = $3
  RETURNING b.*
)
SELECT a.current, s.* FROM asked a LEFT JOIN sealed s ON true`;
