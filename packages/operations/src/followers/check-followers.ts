import {
  briefly,
  EscapementError,
  type FollowedTask,
  followersOf,
  followProblem,
  type TaskDefinition,
} from '@escapement/core';
import { type Database, followedTasks, formerNames, type Task, targetTasks, taskNames } from '@escapement/store';
import { everyWorkerFollows } from './wanted-runs.ts';

/**
 * Throws `unknown_task`, `follow_cycle` or `every_worker_follows` where what is to follow a task's runs cannot be, and the latter also where a
 * task that is to run on every worker follows others.
 */
export async function checkFollowers(db: Database, definition: TaskDefinition): Promise<void> {
  if (definition.runOn) await checkFollowsNone(db, definition);
  if (followersOf(definition).length === 0) return;
  const targets = await targetTasks(db, [...new Set(followersOf(definition).map(({ name }) => name))]);
  for (const [name, { onEveryWorker }] of targets) if (onEveryWorker) throw everyWorkerFollows(name);
  const former = await formerNames(db);
  const names = [...(await taskNames(db)), ...former.keys()];
  const problem = followProblem(definition, {
    names,
    followed: [...(await followedTasks(db)), ...formerNodes(former)],
  });
  if (problem) throw problem;
}

async function checkFollowsNone(db: Database, { name }: TaskDefinition): Promise<void> {
  const former = [...(await formerNames(db))].flatMap(([old, present]) => (present === name ? [old] : []));
  const [namer] = namersOf({ name, formerNames: former }, await followedTasks(db));
  if (namer === undefined) return;
  throw new EscapementError(
    'every_worker_follows',
    `task ${name} is to run on every worker, and is to follow runs of ${namer}: what follows a run is one run`,
    { fix: 'take it out of there first, or leave runOn out' },
  );
}

/** A name that a task has had leads to that task. */
export function formerNodes(former: ReadonlyMap<string, string>): FollowedTask[] {
  return [...former].map(([name, task]) => ({ name, then: [{ task }] }));
}

/** Throws `task_is_named` where tasks that stay name one of those that are to be deleted. */
export function checkMayGo(gone: readonly Named[], stay: readonly FollowedTask[]): void {
  for (const task of gone) {
    const named = namersOf(task, stay);
    if (named.length > 0) throw isNamed(task.name, named);
  }
}

/** A task, by its name or one that it has had. */
type Named = Pick<Task, 'name' | 'formerNames'>;

export function namersOf({ name, formerNames }: Named, tasks: readonly FollowedTask[]): string[] {
  const names = new Set([name, ...formerNames]);
  return tasks.flatMap((task) => {
    const found = followersOf(task).find((follower) => names.has(follower.name));
    return found ? [`${task.name} (${found.field})`] : [];
  });
}

export function isNamed(name: string, named: readonly string[]): EscapementError {
  return new EscapementError('task_is_named', `task ${name} is to follow runs of ${briefly(named)}`, {
    fix: 'take it out of there first, or delete those too',
  });
}
