import type { Json, TaskState } from '@escapement/core';
import { type Database, query } from '../database.ts';

/** What a task keeps for a key. */
export async function readTaskState(db: Database, taskId: string, key: string): Promise<TaskState> {
  const [row] = await query<{ value: Json; version: string; shape: number }>(
    db.hot,
    'read_task_state',
    'SELECT value, version::text, shape FROM task_state WHERE task_id = $1 AND key = $2',
    [taskId, key],
  );
  return row ? { value: row.value, version: Number(row.version), shape: row.shape } : { version: 0, shape: 0 };
}
