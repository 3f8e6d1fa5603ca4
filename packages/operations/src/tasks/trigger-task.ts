import { admitJson, type By, type Json, newRunId, renderKey } from '@escapement/core';
import { type Database, pingDatabase, type Task, triggerRun } from '@escapement/store';
import { permitOnTask } from '../rights/permit.ts';
import { requireTask, unknownTask } from './require-task.ts';
import { checkRatePayload } from './task-rate.ts';

export interface TriggerContext {
  by: By;
  /** Replaces the task's payload for this run. */
  payload?: Json | undefined;
}

/**
 * Asks for a run now, by hand. Returns its id. Throws `unknown_task`, `not_json`, `json_too_large`, and `unknown_key_field`
 * where the payload does not fit the key of the task.
 */
export async function triggerTask(db: Database, name: string, { by, payload }: TriggerContext): Promise<string> {
  await permitOnTask(db, by, 'trigger', { name, action: 'trigger' });
  const task = await requireTask(db, name);
  const { now } = await pingDatabase(db);
  const id = newRunId(now);
  if (await triggerAs(db, task, { id, scheduledFor: now, by, payload })) return id;
  throw await unknownTask(db, name);
}

interface RunByHand extends TriggerContext {
  /** Begins with the instant. */
  id: string;
  scheduledFor: Date;
}

/** Makes a run of a task by hand, once under its id. False: the task is gone. Throws as `triggerTask`. */
export async function triggerAs(
  db: Database,
  task: Task,
  { id, scheduledFor, by, payload }: RunByHand,
): Promise<boolean> {
  const own = payload === undefined ? undefined : admitJson(payload, 'the payload');
  const given = own ?? (task.definition.payload as Json | undefined);
  const key = renderKey(task.definition.key ?? task.name, given);
  checkRatePayload(task.definition, given);
  return await triggerRun(db, { id, scheduledFor, taskId: task.id, origin: 'trigger', key, payload: own, by });
}
