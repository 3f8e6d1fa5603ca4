import type { BatchOnError, BatchOrder, BatchProgress, BatchState } from '@escapement/core';

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
}

export function toBatchProgress(row: BatchRow): BatchProgress {
  const { id, state, total, made, succeeded, skipped, failed, reason } = row;
  return { id, state, total, made, succeeded, skipped, failed, left: total - succeeded - skipped - failed, reason };
}
