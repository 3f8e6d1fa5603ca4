import { EscapementError, type FollowedTask, followersOf, followProblem, type TaskDefinition } from '@escapement/core';
import { type Database, followedTasks, taskNames } from '@escapement/store';

/** Throws `unknown_task` or `follow_cycle` where what is to follow a task's runs cannot be. */
export async function checkFollowers(db: Database, definition: TaskDefinition): Promise<void> {
  if (followersOf(definition).length === 0) return;
  const problem = followProblem(definition, { names: await taskNames(db), followed: await followedTasks(db) });
  if (problem) throw problem;
}

/** Throws `task_is_named` where tasks that stay name one of those that are to be deleted. */
export function checkMayGo(gone: readonly { name: string }[], stay: readonly FollowedTask[]): void {
  for (const { name } of gone) {
    const named = namersOf(name, stay);
    if (named.length > 0) throw isNamed(name, named);
  }
}

export function namersOf(name: string, tasks: readonly FollowedTask[]): string[] {
  return tasks.flatMap((task) => {
    const found = followersOf(task).find((follower) => follower.name === name);
    return found ? [`${task.name} (${found.field})`] : [];
  });
}

export function isNamed(name: string, named: readonly string[]): EscapementError {
  return new EscapementError('task_is_named', `task ${name} is to follow runs of ${named.join(', ')}`, {
    fix: 'take it out of there first, or delete those too',
  });
}
