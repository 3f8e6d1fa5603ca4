import type { BatchOnError, BatchOrder, BatchProgress, BatchState } from '@escapement/core';

/** A batch, as people look at it. */
export interface BatchView extends BatchProgress {
  name: string;
  taskName: string;
  runId: string;
  joinTask: string | null;
  createdAt: Date;
}

/** A row of `batch`. */
export interface BatchRow {
  id: string;
  namespace: string;
  run_id: string;
  run_scheduled_for: Date;
  name: string;
  task_id: string;
  key: string | null;
  concurrency: number;
  ordering: BatchOrder;
  on_error: BatchOnError;
  join_task: string | null;
  state: BatchState;
  filled_by: number;
  total: number;
  made: number;
  succeeded: number;
  skipped: number;
  failed: number;
  cancelled_by: string | null;
  reason: string | null;
  created_at: Date;
  ended_at: Date | null;
}

/** The same, with the name of the task whose runs its children are. */
export type BatchViewRow = BatchRow & { task_name: string };

export function toBatchProgress(row: BatchRow): BatchProgress {
  const { id, state, total, made, succeeded, skipped, failed, reason } = row;
  return { id, state, total, made, succeeded, skipped, failed, left: total - succeeded - skipped - failed, reason };
}

export function toBatchView(row: BatchViewRow): BatchView {
  return {
    ...toBatchProgress(row),
    name: row.name,
    taskName: row.task_name,
    runId: row.run_id,
    joinTask: row.join_task,
    createdAt: row.created_at,
  };
}
