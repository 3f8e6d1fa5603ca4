import {
  type BatchOnError,
  type BatchOrder,
  type BatchState,
  childIndexOf,
  type Json,
  type RunState,
} from '@escapement/core';
import type { LabelFilter } from '@escapement/core/rights';
import { type Database, query } from '../postgres/database.ts';
import { hasLabels, toSelectors } from '../tasks/task-labels.ts';
import { type BatchView, type BatchViewRow, toBatchView } from './batch-row.ts';

/** Which batches, all bounds together. */
export interface BatchFilter {
  /** Whose children are runs of this task. */
  taskName?: string | undefined;
  /** Whose children are runs of tasks that have these labels now. */
  labels?: LabelFilter | undefined;
  /** That this run has asked for. */
  runId?: string | undefined;
  states?: readonly BatchState[] | undefined;
  /** That come after the one of this id in the list: older, or as old and of a smaller id. */
  before?: string | undefined;
  limit: number;
}

/** Batches, the latest first. */
export async function listBatches(db: Database, filter: BatchFilter): Promise<BatchView[]> {
  const { taskName, labels, runId, states, before, limit } = filter;
  const values: unknown[] = [db.namespace, limit];
  const conditions = [
    'b.namespace = $1',
    ...(before === undefined ? [] : [`b.id < $${values.push(before)}::uuid`]),
    ...(runId === undefined ? [] : [`b.run_id = $${values.push(runId)}::uuid`]),
    ...(taskName === undefined
      ? []
      : [`b.task_id = (SELECT o.id FROM task o WHERE o.namespace = $1 AND o.name = $${values.push(taskName)}::text)`]),
    ...(states ? [`b.state = ANY ($${values.push(states)}::text[])`] : []),
    ...(labels ? [hasLabels('t', `$${values.push(toSelectors(labels))}`)] : []),
  ];
  // Planned anew each time: a plan for any bounds would be good for none.
  const rows = await query<BatchViewRow>(
    db.pool,
    '',
    `SELECT b.*, t.name AS task_name FROM batch b JOIN task t ON t.id = b.task_id
     WHERE ${conditions.join(' AND ')} ORDER BY b.id DESC LIMIT $2`,
    values,
  );
  return rows.map(toBatchView);
}

/** A batch with all that was asked for. */
export interface BatchDescription extends BatchView {
  /** A template over the item; null: the children share a key of the batch. */
  key: string | null;
  concurrency: number;
  order: BatchOrder;
  onError: BatchOnError;
  cancelledBy: string | null;
  endedAt: Date | null;
}

/** A batch by its id. Null: there is none, or it was pruned with its run. */
export async function readBatch(db: Database, id: string): Promise<BatchDescription | null> {
  const [row] = await query<BatchViewRow>(
    db.pool,
    'read_batch',
    `SELECT b.*, t.name AS task_name FROM batch b JOIN task t ON t.id = b.task_id WHERE b.namespace = $1 AND b.id = $2`,
    [db.namespace, id],
  );
  if (!row) return null;
  const { key, concurrency, ordering: order, on_error: onError, cancelled_by: cancelledBy, ended_at: endedAt } = row;
  return { ...toBatchView(row), key, concurrency, order, onError, cancelledBy, endedAt };
}

/** A run of a batch. */
export interface BatchChild {
  /** Its item, from 0. */
  index: number;
  /** The id of its run. */
  id: string;
  state: RunState;
  reason: string | null;
  /** Its item. */
  payload: Json | null;
  output: Json | null;
  startedAt: Date | null;
  finishedAt: Date | null;
}

interface ChildRow {
  id: string;
  state: RunState;
  reason: string | null;
  payload: Json | null;
  output: Json | null;
  started_at: Date | null;
  finished_at: Date | null;
  [column: string]: unknown;
}

/** Of a batch the runs that were made for the items of a range, in their order: `from` on, `to` not included. Those that were pruned are not among them. */
export async function batchChildren(
  db: Database,
  { id, createdAt }: Pick<BatchView, 'id' | 'createdAt'>,
  { from, to, states, limit }: { from: number; to: number; states?: readonly RunState[] | undefined; limit: number },
): Promise<BatchChild[]> {
  const rows = await query<ChildRow>(
    db.pool,
    '',
    `SELECT r.id, r.state, r.reason, r.payload, r.output, r.started_at, r.finished_at FROM any_run r
     WHERE r.scheduled_for = $3 AND r.namespace = $4 AND r.id >= batch_child($1, $2) AND r.id < batch_child($1, $5)
       AND ($6::text[] IS NULL OR r.state = ANY ($6::text[])) ORDER BY r.id LIMIT $7`,
    [id, from, createdAt.toISOString(), db.namespace, to, states ?? null, limit],
  );
  return rows.map(({ started_at: startedAt, finished_at: finishedAt, ...row }) => ({
    ...row,
    index: childIndexOf(row.id),
    startedAt,
    finishedAt,
  }));
}
