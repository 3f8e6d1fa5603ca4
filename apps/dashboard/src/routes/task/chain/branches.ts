import type { components } from '../../../api/generated/openapi.ts';

export type Chain = components['schemas']['TaskChain'];
export type Cause = Chain['links'][number]['on'][number];

/** A task in one direction from another. */
export interface Branch {
  /** The way from the first task, by ids: two ways to the same task are two branches. */
  way: string;
  task: Chain['tasks'][number];
  /** At what runs of the one start those of the other. */
  on: Cause[];
  /** What is beyond it. Of a task that was shown before: none, since it is there. */
  beyond: Branch[];
  wasShown: boolean;
}

/** What starts a task, or what it starts, as a tree. */
export function branchesOf({ tasks, links }: Chain, id: string, side: 'before' | 'after'): Branch[] {
  const [near, far] = side === 'before' ? (['to', 'from'] as const) : (['from', 'to'] as const);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const shown = new Set([id]);
  const grow = (at: string, way: string): Branch[] =>
    links.flatMap((link) => {
      const task = link[near] === at ? byId.get(link[far]) : undefined;
      if (!task) return [];
      const wasShown = shown.has(task.id);
      shown.add(task.id);
      const ownWay = `${way} ${task.id}`;
      return [{ way: ownWay, task, on: link.on, wasShown, beyond: wasShown ? [] : grow(task.id, ownWay) }];
    });
  return grow(id, id);
}
