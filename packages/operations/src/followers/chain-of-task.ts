import { type By, type FollowCause, followCauses, type StateOfTask } from '@escapement/core';
import { type Database, followedTasks, formerNames, listTasksById, type Task, targetTasks } from '@escapement/store';
import { namesSeen } from '../rights/labels-seen.ts';
import { taskState } from '../tasks/task-status.ts';

/** What starts a task, and what it starts, over any number of others. What handlers decide is not known before. */
export interface TaskChain {
  /** The task itself, and all that lead to it or follow it. */
  tasks: { id: string; name: string; state: StateOfTask }[];
  /** Runs of `to` follow those of `from`, by their ids; `on`: at what. */
  links: { from: string; to: string; on: FollowCause[] }[];
  /** Tasks that somebody may not see; those behind them are left out as well. */
  hidden: number;
  /** There are more: only the nearest are here. */
  isCut: boolean;
}

interface NamedLink {
  from: string;
  to: string;
  on: FollowCause[];
}

/** Tasks in each direction. */
const MOST = 200;

/** The tasks that are linked with one, in both directions, as somebody may see them. */
export async function chainOfTask(
  db: Database,
  { name }: Pick<Task, 'name'>,
  { by, now }: { by: By; now: Date },
): Promise<TaskChain> {
  const links = await namedLinks(db);
  const all = linkedWith(name, links, () => true);
  const seen = await namesSeen(db, by, [...all.names]);
  const found = linkedWith(name, links, (each) => each === name || seen.has(each));
  const targets = await targetTasks(db, [...found.names]);
  const idOf = (each: string) => targets.get(each)?.id;
  const tasks = await listTasksById(
    db,
    [...found.names].flatMap((each) => idOf(each) ?? []),
  );
  return {
    tasks: tasks.map((task) => ({ id: task.id, name: task.name, state: taskState(task, now).state })),
    links: found.links.flatMap(({ from, to, on }) => {
      const [first, second] = [idOf(from), idOf(to)];
      return first === undefined || second === undefined ? [] : [{ from: first, to: second, on }];
    }),
    hidden: [...all.names].filter((each) => each !== name && !seen.has(each)).length,
    isCut: found.isCut,
  };
}

/** By the names that tasks have now. */
async function namedLinks(db: Database): Promise<NamedLink[]> {
  const [followed, former] = await Promise.all([followedTasks(db), formerNames(db)]);
  return followed.flatMap((task) =>
    [...followCauses(task)].map(([to, on]) => ({ from: task.name, to: former.get(to) ?? to, on })),
  );
}

/** All names that lead to one or follow it, and the links between them. */
function linkedWith(name: string, links: readonly NamedLink[], isSeen: (name: string) => boolean) {
  const seen = links.filter(({ from, to }) => isSeen(from) && isSeen(to));
  const before = reached(name, grouped(seen, 'to', 'from'));
  const after = reached(name, grouped(seen, 'from', 'to'));
  const within = ({ from, to }: NamedLink) =>
    (before.names.has(from) && before.names.has(to)) || (after.names.has(from) && after.names.has(to));
  return {
    names: new Set([...before.names, ...after.names]),
    links: seen.filter(within),
    isCut: before.isCut || after.isCut,
  };
}

function grouped(links: readonly NamedLink[], by: 'from' | 'to', what: 'from' | 'to'): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const link of links) {
    const group = groups.get(link[by]);
    if (group) group.push(link[what]);
    else groups.set(link[by], [link[what]]);
  }
  return groups;
}

/** The nearest first. */
function reached(name: string, next: ReadonlyMap<string, readonly string[]>): { names: Set<string>; isCut: boolean } {
  const names = new Set([name]);
  // A set goes on over what is added to it meanwhile.
  for (const each of names) {
    for (const other of next.get(each) ?? []) {
      if (names.has(other)) continue;
      if (names.size > MOST) return { names, isCut: true };
      names.add(other);
    }
  }
  return { names, isCut: false };
}
