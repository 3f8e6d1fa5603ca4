import { EscapementError } from '@escapement/core';
import { type Database, findTaskById, type Task, taskNameOf } from '@escapement/store';
import { z } from 'zod';

/** The task that a path is about. */
export const taskParams = z.object({ id: z.uuid().meta({ description: 'The id of a task.' }) });

interface OfTask {
  db: Database;
  params: { id: string };
}

/** The task of the path. Throws `unknown_task`. */
export async function taskOf({ db, params: { id } }: OfTask): Promise<Task> {
  const task = await findTaskById(db, id);
  if (task) return task;
  throw unknownTask(id);
}

/** Its name, also of a deleted one. Throws `unknown_task`. */
export async function nameOf({ db, params: { id } }: OfTask): Promise<string> {
  const name = await taskNameOf(db, id);
  if (name !== null) return name;
  throw unknownTask(id);
}

/** What rights are asked of. */
export const theTask = async (asked: OfTask): Promise<{ task: string }> => ({ task: await nameOf(asked) });

function unknownTask(id: string): EscapementError {
  return new EscapementError('unknown_task', `there is no task of the id ${id}`, {
    fix: 'GET /v1/task?name=NAME tells the id of the task of a name',
  });
}
