import { EscapementError, nearest } from './errors.ts';
import { LIFECYCLE_EVENTS, type LifecycleEvent, type ThenLink } from './follower-fields.ts';

type Link = Pick<ThenLink, 'task'> & { when?: ThenLink['when'] | undefined };

/** A task, as far as others follow it. */
export type FollowedTask = { name: string; then?: readonly Link[] | null | undefined } & {
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

/** At what a task that follows another is started: an end of a run, or an event of its life. */
export type FollowCause = ThenLink['when'] | LifecycleEvent;

/** The same with at what each is started. */
export function followCauses(task: FollowedTask): Map<string, FollowCause[]> {
  const found = new Map<string, FollowCause[]>();
  const add = (name: string, cause: FollowCause) => {
    const causes = found.get(name) ?? [];
    if (!causes.includes(cause)) found.set(name, [...causes, cause]);
  };
  for (const link of task.then ?? []) add(link.task, link.when ?? 'success');
  for (const event of LIFECYCLE_EVENTS) {
    const name = task[event];
    if (typeof name === 'string') add(name, event);
  }
  return found;
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

/** What is wrong with what is to follow a task, among all tasks; undefined: nothing. */
export function followProblem(
  task: FollowedTask,
  all: { names: readonly string[]; followed: readonly FollowedTask[] },
): EscapementError | undefined {
  const edges = new Map(all.followed.map((each) => [each.name, followersOf(each).map(({ name }) => name)]));
  const own = followersOf(task);
  edges.set(
    task.name,
    own.map(({ name }) => name),
  );
  const cycle = findFollowCycle(task.name, (name) => edges.get(name) ?? []);
  if (cycle)
    return new EscapementError(
      'follow_cycle',
      `runs of task ${task.name} would follow themselves: ${cycle.join(' -> ')}`,
      {
        fix: 'leave out one of these links; a task that goes on and on decides with ctx.scheduleNext() when it is due next',
      },
    );
  const names = new Set(all.names);
  const unknown = own.find(({ name }) => !names.has(name));
  if (!unknown) return undefined;
  const near = nearest(unknown.name, all.names);
  return new EscapementError(
    'unknown_task',
    `task ${task.name}: ${unknown.field} names "${unknown.name}", and there is no such task`,
    {
      fix: near ? `did you mean ${near}?` : 'save that task first, or in the same call',
    },
  );
}
