import { type By, EscapementError } from '@escapement/core';
import {
  type Database,
  deleteTask as endTask,
  findTask,
  followedTasks,
  listCalendars,
  pingDatabase,
  type Task,
} from '@escapement/store';
import { isNamed, namersOf } from '../followers/check-followers.ts';
import { permitOnTask } from '../rights/permit.ts';
import { refuseWhileOpen } from '../shadow/line-tasks.ts';
import { planBeforeEdit } from './plan-before-edit.ts';
import { unknownTask } from './require-task.ts';

/** Times a deletion starts over because planners or other people changed the task meanwhile. */
const MAX_RACES = 20;

/**
 * Deletes a task: its runs stay, what has not started never starts. What was due before has its rows: they say what became of
 * it. `guard` is asked with the task as it is, as often as it changes meanwhile; a throw ends the deletion. Throws `unknown_task`, and
 * `task_is_named` where others name it as what follows their runs.
 */
export async function deleteTask(
  db: Database,
  name: string,
  by: By,
  guard?: (current: Task) => Promise<void>,
): Promise<void> {
  await permitOnTask(db, by, 'edit', { name, action: 'delete' });
  for (let race = 0; race < MAX_RACES; race++) {
    const task = await findTask(db, name);
    if (!task) throw await unknownTask(db, name);
    await guard?.(task);
    await refuseWhileOpen(db, task, 'be deleted');
    const named = namersOf(task, await followedTasks(db));
    if (named.length > 0) throw isNamed(name, named);
    const { now } = await pingDatabase(db);
    if (await planBeforeEdit(db, task, { now, from: now }, await listCalendars(db))) continue;
    if (await endTask(db, name, by, { planSeq: task.planSeq, at: now })) return;
  }
  throw new EscapementError('save_races', `task ${name} kept changing while it was deleted`, { fix: 'try again' });
}
