import { admitJson, type By, EscapementError, type Json, MAX_STATE_BYTES, renderKey } from '@escapement/core';
import { type Database, editTaskState, type Task } from '@escapement/store';
import { needsReason } from '../needs-reason.ts';
import { permitOnTask } from '../rights/permit.ts';
import { requireTask } from './require-task.ts';

/** Which state: that of a task, for a key. */
export interface StateOf {
  task: string;
  /** Undefined: the key of the scheduled runs. */
  key: string | undefined;
}

const WHY = 'a state that is changed by hand is a riddle to the next reader';

/**
 * Sets what a task keeps for a key. A run under way that wants to change it as well fails for that. Returns the key. Throws
 * `unknown_task`, `no_state` (the task declares none), `no_reason`, `not_json`, `json_too_large`.
 */
export async function setTaskState(db: Database, { task: name, key }: StateOf, value: Json, by: By): Promise<string> {
  await permitOnTask(db, by, 'write-data', { name, action: 'state set' });
  needsReason(by, WHY);
  const admitted = admitJson(value, 'the state', MAX_STATE_BYTES);
  const task = await requireTask(db, name);
  const { state } = task.definition;
  if (!state)
    throw new EscapementError('no_state', `task ${name} declares no state`, {
      fix: 'see docs/reference/code-tasks.md, section State',
    });
  const edit = { taskId: task.id, key: key ?? scheduledKey(task), value: admitted, shape: state.version, by };
  await editTaskState(db, edit);
  return edit.key;
}

/**
 * Deletes what a task keeps for a key; the next run begins as the first one did. Returns the key. Throws `unknown_task`,
 * `no_state` (nothing is kept), `no_reason`.
 */
export async function dropTaskState(db: Database, { task: name, key }: StateOf, by: By): Promise<string> {
  await permitOnTask(db, by, 'write-data', { name, action: 'state drop' });
  needsReason(by, WHY);
  const task = await requireTask(db, name);
  const edit = { taskId: task.id, key: key ?? scheduledKey(task), value: undefined, shape: 1, by };
  if (await editTaskState(db, edit)) return edit.key;
  throw new EscapementError('no_state', `nothing is kept for the key "${edit.key}"`, {
    fix: `see \`escapement tasks state show ${name}\``,
  });
}

function scheduledKey({ definition, name }: Task): string {
  return renderKey(definition.key ?? name, definition.payload as Json | undefined);
}
