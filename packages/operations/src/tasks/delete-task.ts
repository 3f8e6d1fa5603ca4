import { type By, EscapementError } from '@escapement/core';
import {
  type Database,
  deleteTask as endTask,
  findRunsOfDeleted,
  findTask,
  finishRunsOfDeleted,
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

/** Runs whose ends are written before the deletion is answered; a scheduler writes the others. */
const ENDED_AT_ONCE = 500;

/** Times a deletion starts over because planners or other people changed the task meanwhile. */
const MAX_RACES = 20;

/**
 * Deletes a task: its runs stay, what has not started never starts, nor does an attempt that was to follow, also if the name is saved
 * again. What was due before has its rows: they say what became of it. `guard` is asked with the task as it is, as often as it changes
 * meanwhile; a throw ends the deletion. Throws `unknown_task`, and `task_is_named` where others name it as what follows their runs.
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
    if (await endTask(db, name, by, { planSeq: task.planSeq, at: now })) return await endRuns(db, name);
  }
  throw new EscapementError('save_races', `task ${name} kept changing while it was deleted`, { fix: 'try again' });
}

/** The deletion is written by now, and does not fail any more: what is not done here a scheduler does. */
async function endRuns(db: Database, name: string): Promise<void> {
  try {
    const tasks = await findRunsOfDeleted(db, { limit: ENDED_AT_ONCE, name });
    await finishRunsOfDeleted(db, tasks, ENDED_AT_ONCE);
  } catch {
    return;
  }
}
