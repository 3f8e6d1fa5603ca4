import { EscapementError, nearest } from '@escapement/core';
import { type Database, findTask, formerNames, type Task, taskNames } from '@escapement/store';

/** The task of a name. Throws `unknown_task`, which suggests the nearest name. */
export async function requireTask(db: Database, name: string): Promise<Task> {
  const task = await findTask(db, name);
  if (task) return task;
  throw await unknownTask(db, name);
}

/** The task that has a name, or has had it until somebody renamed it: for what was said before that. */
export async function findNamedTask(db: Database, name: string): Promise<Task | null> {
  const task = await findTask(db, name);
  if (task) return task;
  const present = (await formerNames(db, [name])).get(name);
  return present === undefined ? null : await findTask(db, present);
}

/** There is no such task; the nearest of those that are there is suggested. */
export async function unknownTask(db: Database, name: string): Promise<EscapementError> {
  const renamed = (await formerNames(db, [name])).get(name);
  const near = nearest(name, await taskNames(db));
  return new EscapementError('unknown_task', `there is no task "${name}"`, {
    fix: renamed ? `it is called ${renamed} now` : near ? `did you mean ${near}?` : 'see `escapement tasks list`',
  });
}

/** Throws `task_exists`. */
export async function requireNoTask(db: Database, name: string): Promise<void> {
  if (await findTask(db, name)) throw taskExists(name);
}

/** A task is to be new and is not. */
export function taskExists(name: string): EscapementError {
  return new EscapementError('task_exists', `there is a task "${name}" already`, {
    fix: `change it with \`escapement tasks edit ${name}\`, or give the new one another name`,
  });
}
