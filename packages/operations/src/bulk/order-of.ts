import { EscapementError, nearest } from '@escapement/core';
import { type Database, taskLabels } from '@escapement/store';
import { unknownTask } from '../tasks/require-task.ts';

/**
 * The order of the tasks that an act is about (null: of all), as it is kept with the act; none of them need have anything held. Undefined: there
 * is none. Throws `unknown_task` for a task that the act is not about.
 */
export async function orderOf(
  db: Database,
  order: readonly string[] | undefined,
  tasks: readonly string[] | null,
): Promise<string[] | undefined> {
  if (!order || order.length === 0) return undefined;
  const known = new Set(tasks ?? (await taskLabels(db, order)).keys());
  const unknown = order.find((name) => !known.has(name));
  if (unknown === undefined) return [...order];
  if (tasks === null) throw await unknownTask(db, unknown);
  // Whether there is such a task is not said: whoever asks may do it to those of the act alone.
  const near = nearest(unknown, tasks);
  throw new EscapementError('unknown_task', `the order has "${unknown}", which is none of the tasks that it is about`, {
    fix: near ? `did you mean ${near}?` : 'leave it out of the order',
  });
}
