import {
  admitJson,
  type By,
  checkKeyTemplate,
  checkRatePayload,
  DAY,
  EscapementError,
  type Json,
  newRunId,
  renderKey,
} from '@escapement/core';
import { parseTraceparent } from '@escapement/core/traces';
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
import { permitInNamespace, permitOnTask } from '../rights/permit.ts';
import { unknownTask } from './require-task.ts';
import { runsOnWorkers } from './runs-on-workers.ts';

export interface TriggerContext {
  by: By;
  /** Replaces the task's payload for this run. */
  payload?: Json | undefined;
  /** Instead of the key of the task, for this run; may hold `{{payload.field}}`. */
  key?: string | undefined;
  /** When it is due, at most 366 days ahead. Default: now. */
  at?: Date | undefined;
  /** Of a task that runs on every worker: only on the worker of this name. */
  worker?: string | undefined;
  /** A transaction of the caller: the run is there once that commits, and never if it rolls back. */
  within?: CallersClient | undefined;
  /** The span that the run continues, by W3C Trace Context. Default: its trace begins with it. */
  traceparent?: string | undefined;
  /** Refuse a task of which there would be several runs. Default false. */
  single?: boolean | undefined;
}

/** So far ahead a run may be triggered: each week that has a run in it is a partition of the ledger. */
const MAX_AHEAD_MS = 366 * DAY;
/** A time that has just passed is now: clocks differ, and typing takes a while. */
const JUST_PASSED_MS = 60_000;

/** A run that was asked for, and the worker that it belongs to; null: to none. */
export interface TriggeredRun {
  id: string;
  worker: string | null;
}

/**
 * Asks for a run, by hand. Returns its id. Throws `unknown_task`, `not_json`, `json_too_large`, `bad_due_time`, `bad_traceparent`, `runs_on_every_worker`
 * for a task that runs on every worker, if no `worker` is named, what `triggerRuns` throws then, and `unknown_key_field` where the
 * payload does not fit the key of the task, or the one that is given; `bad_key_template`, `key_too_long` for the latter; with `within` also what `withinTransaction` throws.
 */
export async function triggerTask(db: Database, name: string, context: TriggerContext): Promise<string> {
  const [run] = await triggerRuns(db, name, { ...context, single: true });
  if (run) return run.id;
  throw await unknownTask(db, name);
}

/**
 * Asks for a run, by hand, or of a task that runs on every worker for one on each. Throws as `triggerTask`, `no_workers` where there is
 * none, `unknown_worker` for a `worker` that none of them is called, and `not_on_every_worker` for one of another task.
 */
export async function triggerRuns(db: Database, name: string, context: TriggerContext): Promise<TriggeredRun[]> {
  const { by, payload, key, at, within, worker, traceparent } = context;
  const task = await taskToTrigger(db, name, context);
  const { now } = await pingDatabase(db);
  const scheduledFor = dueTime(at, now);
  const id = newRunId(scheduledFor);
  const runs = await triggerAs(db, task, { id, scheduledFor, by, payload, key, within, worker, traceparent });
  if (runs) return runs;
  throw await unknownTask(db, name);
}

/** The task of a name, or that was called so before, if whoever asks may trigger it as they say. */
export async function taskToTrigger(db: Database, name: string, context: TriggerContext): Promise<Task> {
  const { by, key, worker, traceparent, single = false } = context;
  await permitOnTask(db, by, 'trigger', { name, action: 'trigger' });
  const task = await findTask(db, name);
  if (!task) return await taskToTrigger(db, await presentName(db, name), context);
  if (key !== undefined) await permitKey(db, by, { name, key });
  if (single && task.definition.runOn && worker === undefined) throw runsOnEveryWorker(name);
  checkTraceparent(traceparent);
  return task;
}

/** Runs of any task wait for who holds a key: to choose one takes the right to trigger them all. */
async function permitKey(db: Database, by: By, { name, key }: { name: string; key: string }): Promise<void> {
  await permitInNamespace(db, by, 'trigger', { action: 'trigger', subject: { task: name }, what: `key ${key}` });
}

function runsOnEveryWorker(name: string): EscapementError {
  return new EscapementError(
    'runs_on_every_worker',
    `task ${name} runs on every worker: a trigger makes several runs`,
    {
      fix: 'use triggerEach of the client or `escapement tasks trigger`, or name one worker',
    },
  );
}

/** Programs that name a task as it was called before still start it, by their right on the task. */
async function presentName(db: Database, name: string): Promise<string> {
  const present = (await formerNames(db, [name])).get(name);
  if (present === undefined) throw await unknownTask(db, name);
  return present;
}

interface RunByHand extends Omit<TriggerContext, 'at' | 'single'> {
  /** Begins with the instant. Of a task that runs on every worker: what the ids of its runs are made of. */
  id: string;
  scheduledFor: Date;
}

/** Makes the runs of a task by hand, once under their id. Undefined: the task is gone. Throws as `triggerRuns`. */
export async function triggerAs(
  db: Database,
  task: Task,
  { id, scheduledFor, by, payload, key: ownKey, within, worker, traceparent }: RunByHand,
): Promise<TriggeredRun[] | undefined> {
  const own = payload === undefined ? undefined : admitJson(payload, 'the payload');
  const given = own ?? (task.definition.payload as Json | undefined);
  const key = keyOfRun(task, ownKey, given);
  checkRatePayload(task.definition, given);
  const on = await runsOnWorkers(db, task, { id, key, worker });
  const run = {
    ...({ id, scheduledFor, taskId: task.id, origin: 'trigger', key, ownKey: ownKey !== undefined } as const),
    ...{ payload: own, by, on, traceparent },
  };
  const found = within ? await triggerRunIn(db, within, run) : await triggerRun(db, run);
  return found ? (on ?? [{ id, worker: null }]).map(({ id, worker }) => ({ id, worker })) : undefined;
}

/** One of its own, or that of its task. Throws `bad_key_template`, `unknown_key_field`, `key_too_long`. */
function keyOfRun({ name, definition }: Task, own: string | undefined, payload: Json | undefined): string {
  if (own !== undefined) checkKeyTemplate(own);
  return renderKey(own ?? definition.key ?? name, payload);
}

/** Throws `bad_traceparent`. */
export function checkTraceparent(given: string | undefined): void {
  if (given === undefined || parseTraceparent(given)) return;
  throw new EscapementError('bad_traceparent', `${JSON.stringify(given)} is no traceparent of W3C Trace Context`, {
    fix: 'give what that standard describes, as in 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01, or leave it out',
  });
}

/** When a run is due that was asked for. Throws `bad_due_time`. */
export function dueTime(at: Date | undefined, now: Date): Date {
  if (at === undefined) return now;
  const aheadMs = at.getTime() - now.getTime();
  if (aheadMs >= 0 && aheadMs <= MAX_AHEAD_MS) return at;
  if (aheadMs < 0 && aheadMs >= -JUST_PASSED_MS) return now;
  const shown = Number.isNaN(at.getTime()) ? 'no date' : at.toISOString();
  throw new EscapementError('bad_due_time', `a run cannot be due at ${shown}; it is ${now.toISOString()}`, {
    fix: aheadMs < 0 ? 'give a time that is still to come' : 'give a time at most 366 days ahead',
  });
}
