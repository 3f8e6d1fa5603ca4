import { EscapementError, type FollowedTask, followersOf, followProblem, type TaskDefinition } from '@escapement/core';
import { type Database, followedTasks, formerNames, type Task, taskNames } from '@escapement/store';

/** Throws `unknown_task` or `follow_cycle` where what is to follow a task's runs cannot be. */
export async function checkFollowers(db: Database, definition: TaskDefinition): Promise<void> {
  if (followersOf(definition).length === 0) return;
  const former = await formerNames(db);
  const names = [...(await taskNames(db)), ...former.keys()];
  const problem = followProblem(definition, {
    names,
    followed: [...(await followedTasks(db)), ...formerNodes(former)],
  });
  if (problem) throw problem;
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
  return new EscapementError('task_is_named', `task ${name} is to follow runs of ${named.join(', ')}`, {
    fix: 'take it out of there first, or delete those too',
  });
}
