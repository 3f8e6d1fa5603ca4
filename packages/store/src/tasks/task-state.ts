import type { By, Json, TaskState } from '@escapement/core';
import { nameIn, noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { isTaskOf } from '../postgres/scope.ts';

/** What a task keeps for a key. */
export async function readTaskState(db: Database, taskId: string, key: string): Promise<TaskState> {
  const [row] = await query<{ value: Json; version: string; shape: number }>(
    db.hot,
    'read_task_state',
    `SELECT value, version::text, shape FROM task_state WHERE task_id = $1 AND key = $2 AND ${isTaskOf('$3', '$1')}`,
    [taskId, key, db.namespace],
  );
  return row ? { value: row.value, version: Number(row.version), shape: row.shape } : { version: 0, shape: 0 };
}

/** A state with who wrote it. */
export interface KeptState {
  key: string;
  value: Json;
  version: number;
  shape: number;
  updatedAt: Date;
  /** `run:ID`, or a person as `user@host`. */
  updatedBy: string;
}

/** What a task keeps: for all its keys, those changed last first, or for one. */
export async function listTaskStates(
  db: Database,
  taskId: string,
  { key, limit }: { key?: string | undefined; limit: number },
): Promise<KeptState[]> {
  const rows = await query<Omit<KeptState, 'version'> & { version: string }>(
    db.pool,
    'list_task_states',
    `SELECT key, value, version::text, shape, updated_at AS "updatedAt", updated_by AS "updatedBy" FROM task_state
     WHERE task_id = $1 AND ($2::text IS NULL OR key = $2) AND ${isTaskOf('$4', '$1')}
     ORDER BY updated_at DESC, key LIMIT $3`,
    [taskId, key ?? null, limit, db.namespace],
  );
  return rows.map((row) => ({ ...row, version: Number(row.version) }));
}

export interface StateEdit {
  taskId: string;
  key: string;
  /** Undefined: the state is dropped, and the next run begins without one. */
  value: Json | undefined;
  shape: number;
  by: By;
}

/**
 * Sets or drops what a task keeps for a key, by hand, with an audit entry. A run under way that wants to change it as well
 * fails for that. False: there was nothing to drop, or there is no such task.
 */
export async function editTaskState(db: Database, edit: StateEdit): Promise<boolean> {
  const drops = edit.value === undefined;
  // Equivalent mutant (negation): the two names of prepared statements change places: each still has one text.
  const rows = await query(db.pool, drops ? 'drop_task_state' : 'set_task_state', EDIT(drops), [
    edit.taskId,
    edit.key,
    toActing(edit.by),
    db.namespace,
    ...(drops ? [] : [JSON.stringify(edit.value), edit.shape]),
  ]);
  return rows.length > 0;
}

const SET = `
INSERT INTO task_state AS s (task_id, key, value, shape, updated_by)
SELECT $1::uuid, $2::text, $5::jsonb, $6::integer, ${nameIn('$3')} WHERE ${isTaskOf('$4', '$1')}
ON CONFLICT (task_id, key) DO UPDATE SET value = excluded.value, shape = excluded.shape, version = s.version + 1,
  updated_at = now(), updated_by = excluded.updated_by
RETURNING s.version`;

const DROP = `DELETE FROM task_state WHERE task_id = $1 AND key = $2 AND ${isTaskOf('$4', '$1')} RETURNING version`;

const EDIT = (drops: boolean) => `
WITH edited AS (${drops ? DROP : SET}), noted AS (
  ${noteAction({
    by: '$3',
    namespace: '$4',
    action: drops ? "'state drop'" : "'state set'",
    subject: "'key:' || $2::text",
    detail: "jsonb_build_object('task', $1::uuid, 'version', e.version)",
    from: 'edited e',
  })}
)
SELECT FROM edited`;
