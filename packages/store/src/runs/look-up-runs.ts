import type { OverlapPolicy, RunState } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { IS_OWED } from './owed-runs.ts';

/** What the worker needs of a run before it can ask for its lease. */
export interface RunSketch {
  runId: string;
  scheduledFor: Date;
  state: RunState;
  dispatch: number;
  attempt: number;
  taskId: string;
  taskVersion: number;
  key: string;
  keyLimit: number;
  overlap: OverlapPolicy['policy'];
  /** Too late to be started without the task's catch-up policy. */
  misfired: boolean;
  /** Until it is due, by Postgres' clock; 0: it is. Milliseconds. */
  earlyMs: number;
}

/** Reads runs by id, in the order asked; null: there is none. */
export async function lookUpRuns(
  db: Database,
  refs: readonly { runId: string; scheduledFor: Date }[],
): Promise<(RunSketch | null)[]> {
  const rows = await query<{
    id: string;
    scheduled_for: Date;
    state: RunState;
    dispatch: number;
    attempt: number;
    task_id: string;
    task_version: number;
    key: string;
    key_limit: number;
    overlap: OverlapPolicy['policy'];
    misfired: boolean;
    early_ms: number;
  }>(
    db.hot,
    'look_up_runs',
    `SELECT r.id, r.scheduled_for, r.state, r.dispatch, r.attempt, r.task_id, r.task_version, r.key, r.key_limit, r.overlap,
       CASE WHEN r.misfire_at <= now() THEN ${IS_OWED} ELSE false END AS misfired,
       greatest(0, ceil(extract(epoch FROM r.due_at - now()) * 1000))::float8 AS early_ms
     FROM unnest($1::uuid[], $2::timestamptz[]) AS i(id, scheduled_for)
     JOIN run r ON r.id = i.id AND r.scheduled_for = i.scheduled_for`,
    [refs.map((ref) => ref.runId), refs.map((ref) => ref.scheduledFor.toISOString())],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return refs.map(({ runId }) => {
    const row = found.get(runId);
    if (!row) return null;
    return {
      runId,
      scheduledFor: row.scheduled_for,
      state: row.state,
      dispatch: row.dispatch,
      attempt: row.attempt,
      taskId: row.task_id,
      taskVersion: row.task_version,
      key: row.key,
      keyLimit: row.key_limit,
      overlap: row.overlap,
      misfired: row.misfired,
      earlyMs: row.early_ms,
    };
  });
}
