import { createHash } from 'node:crypto';
import { checkIdempotencyKey, EscapementError, newRunId } from '@escapement/core';
import { type Database, keepTriggerKey, pingDatabase, type Task } from '@escapement/store';
import { unknownTask } from './require-task.ts';
import { dueTime, type TriggerContext, type TriggeredRun, taskToTrigger, triggerAs } from './trigger-task.ts';

/**
 * As `triggerRuns`, once for a key: who asks again with it within a day gets the same runs, and no others are made, also where they ask twice at
 * the same moment or the process died in between. The id of the run is kept before the run is made, and a run is made once under its id.
 * Keys are those of a principal. Throws as `triggerRuns`, `bad_idempotency_key`, and `idempotency_key_reused` for a key that something else was asked for with.
 */
export async function triggerOnce(
  db: Database,
  name: string,
  key: string,
  context: Omit<TriggerContext, 'within'>,
): Promise<TriggeredRun[]> {
  checkIdempotencyKey(key);
  const { by, payload, key: ownKey, at, worker, traceparent } = context;
  const task = await taskToTrigger(db, name, context);
  const { now } = await pingDatabase(db);
  const due = dueTime(at, now);
  const digest = digestOf(task, context);
  const asked = { runId: newRunId(due), scheduledFor: due, digest };
  const kept = await keepTriggerKey(db, { principal: by.principal, key }, asked);
  if (kept.digest !== digest)
    throw new EscapementError('idempotency_key_reused', `the key ${JSON.stringify(key)} was given for something else`, {
      fix: 'give a new key for each thing that is to be done, and the same one only to try that again',
    });
  const { runId: id, scheduledFor } = kept;
  const runs = await triggerAs(db, task, { id, scheduledFor, by, payload, key: ownKey, worker, traceparent });
  if (runs) return runs;
  throw await unknownTask(db, name);
}

function digestOf({ id }: Task, { payload, key, at, worker }: TriggerContext): string {
  const asked = [id, payload ?? null, at?.toISOString() ?? null, worker ?? null, ...(key === undefined ? [] : [key])];
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}
