import { LIFECYCLE_EVENTS, type LifecycleEvent, type ThenLink } from './follow-ups.ts';

/** A task, as far as others follow it. */
export type FollowedTask = { name: string; then?: readonly Pick<ThenLink, 'task'>[] | null | undefined } & {
  [Event in LifecycleEvent]?: string | null | undefined;
};

/** The names of the tasks that are run because of runs of this one, each once, with the field that names it first. */
export function followersOf(task: FollowedTask): { name: string; field: string }[] {
  const named = new Map<string, string>();
  const add = (name: string, field: string) => {
    if (!named.has(name)) named.set(name, field);
  };
  for (const [index, link] of (task.then ?? []).entries()) add(link.task, `then.${index}`);
  for (const event of LIFECYCLE_EVENTS) {
    const name = task[event];
    if (typeof name === 'string') add(name, event);
  }
  return [...named].map(([name, field]) => ({ name, field }));
}

/**
 * A way from a task over its followers back to itself, with its name at both ends; undefined: there is none.
 * `followers` says who follows a task.
 */
export function findFollowCycle(name: string, followers: (name: string) => readonly string[]): string[] | undefined {
  const seen = new Set<string>();
  const search = (at: string, way: readonly string[]): string[] | undefined => {
    for (const next of followers(at)) {
      if (next === name) return [...way, next];
      if (seen.has(next)) continue;
      seen.add(next);
      const found = search(next, [...way, next]);
      if (found) return found;
    }
    return undefined;
  };
  return search(name, [name]);
}

/**
 * The tasks in an order in which they can be saved one by one: those that follow others first. Where they follow one
 * another in a circle, which is refused anyway, in any order.
 */
export function inOrderOfSaving<Task extends FollowedTask>(tasks: readonly Task[]): Task[] {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const ordered = new Set<Task>();
  const entered = new Set<Task>();
  const add = (task: Task): void => {
    if (entered.has(task)) return;
    entered.add(task);
    for (const { name } of followersOf(task)) {
      const follower = byName.get(name);
      if (follower) add(follower);
    }
    ordered.add(task);
  };
  for (const task of tasks) add(task);
  return [...ordered];
}
