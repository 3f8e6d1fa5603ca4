import { admitJson, type By, type Json, newRunId, renderKey } from '@escapement/core';
import { type Database, pingDatabase, triggerRun } from '@escapement/store';
import { permitOnTask } from '../rights/permit.ts';
import { requireTask, unknownTask } from './require-task.ts';
import { checkRatePayload } from './task-rate.ts';

export interface TriggerContext {
  by: By;
  /** Replaces the task's payload for this run. */
  payload?: Json;
}

/**
 * Asks for a run now, by hand. Returns its id. Throws `unknown_task`, `not_json`, `json_too_large`, and `unknown_key_field`
 * where the payload does not fit the key of the task.
 */
export async function triggerTask(db: Database, name: string, { by, payload }: TriggerContext): Promise<string> {
  await permitOnTask(db, by, 'trigger', { name, action: 'trigger' });
  const task = await requireTask(db, name);
  const own = payload === undefined ? undefined : admitJson(payload, 'the payload');
  const given = own ?? (task.definition.payload as Json | undefined);
  const key = renderKey(task.definition.key ?? task.name, given);
  checkRatePayload(task.definition, given);
  const { now } = await pingDatabase(db);
  const id = newRunId(now);
  const run = { id, scheduledFor: now, taskId: task.id, origin: 'trigger', key, payload: own, by } as const;
  if (await triggerRun(db, run)) return id;
  throw await unknownTask(db, name);
}
