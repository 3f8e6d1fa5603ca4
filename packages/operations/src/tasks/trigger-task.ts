import { admitJson, type By, DAY, EscapementError, type Json, newRunId, renderKey } from '@escapement/core';
import {
  type CallersClient,
  type Database,
  findTask,
  formerNames,
  pingDatabase,
  type Task,
  triggerRun,
  triggerRunIn,
} from '@escapement/store';
import { permitOnTask } from '../rights/permit.ts';
import { unknownTask } from './require-task.ts';
import { checkRatePayload } from './task-rate.ts';

export interface TriggerContext {
  by: By;
  /** Replaces the task's payload for this run. */
  payload?: Json | undefined;
  /** When it is due, at most 366 days ahead. Default: now. */
  at?: Date | undefined;
  /** A transaction of the caller: the run is there once that commits, and never if it rolls back. */
  within?: CallersClient | undefined;
}

/** So far ahead a run may be triggered: each week that has a run in it is a partition of the ledger. */
const MAX_AHEAD_MS = 366 * DAY;
/** A time that has just passed is now: clocks differ, and typing takes a while. */
const JUST_PASSED_MS = 60_000;

/**
 * Asks for a run, by hand. Returns its id. Throws `unknown_task`, `not_json`, `json_too_large`, `bad_due_time`, and
 * `unknown_key_field` where the payload does not fit the key of the task; with `within` also what `withinTransaction` throws.
 */
export async function triggerTask(db: Database, name: string, context: TriggerContext): Promise<string> {
  const { by, payload, at, within } = context;
  await permitOnTask(db, by, 'trigger', { name, action: 'trigger' });
  const task = await findTask(db, name);
  if (!task) return await triggerRenamed(db, name, context);
  const { now } = await pingDatabase(db);
  const scheduledFor = dueTime(at, now);
  const id = newRunId(scheduledFor);
  if (await triggerAs(db, task, { id, scheduledFor, by, payload, within })) return id;
  throw await unknownTask(db, name);
}

/** Programs that name a task as it was called before still start it, by their right on the task. */
async function triggerRenamed(db: Database, name: string, context: TriggerContext): Promise<string> {
  const present = (await formerNames(db, [name])).get(name);
  if (present === undefined) throw await unknownTask(db, name);
  return await triggerTask(db, present, context);
}

interface RunByHand extends Omit<TriggerContext, 'at'> {
  /** Begins with the instant. */
  id: string;
  scheduledFor: Date;
}

/** Makes a run of a task by hand, once under its id. False: the task is gone. Throws as `triggerTask`. */
export async function triggerAs(
  db: Database,
  task: Task,
  { id, scheduledFor, by, payload, within }: RunByHand,
): Promise<boolean> {
  const own = payload === undefined ? undefined : admitJson(payload, 'the payload');
  const given = own ?? (task.definition.payload as Json | undefined);
  const key = renderKey(task.definition.key ?? task.name, given);
  checkRatePayload(task.definition, given);
  const run = { id, scheduledFor, taskId: task.id, origin: 'trigger', key, payload: own, by } as const;
  return within ? await triggerRunIn(db, within, run) : await triggerRun(db, run);
}

function dueTime(at: Date | undefined, now: Date): Date {
  if (at === undefined) return now;
  const aheadMs = at.getTime() - now.getTime();
  if (aheadMs >= 0 && aheadMs <= MAX_AHEAD_MS) return at;
  if (aheadMs < 0 && aheadMs >= -JUST_PASSED_MS) return now;
  const shown = Number.isNaN(at.getTime()) ? 'no date' : at.toISOString();
  throw new EscapementError('bad_due_time', `a run cannot be due at ${shown}; it is ${now.toISOString()}`, {
    fix: aheadMs < 0 ? 'give a time that is still to come' : 'give a time at most 366 days ahead',
  });
}
