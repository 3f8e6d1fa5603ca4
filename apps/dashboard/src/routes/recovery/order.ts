import type { components } from '../../api/generated/openapi.ts';

export type HeldTask = components['schemas']['HeldTask'];

/** As many as one act takes in an order. */
export const MOST_ORDERED = 1000;

/** In which order tasks go on. */
export interface Order {
  /** Those that somebody has put before the others, by name. */
  names: readonly string[];
  /** There are others: they come after them. */
  hasOthers: boolean;
  /** They are not all equally urgent: workers may still take one before another. */
  hasPriorities: boolean;
}

/** Tasks as they go on: those that somebody has put before the others, then the highest priority and the oldest first. */
export function arranged<Task extends Pick<HeldTask, 'task' | 'priority' | 'firstAt'>>(
  tasks: readonly Task[],
  order: readonly string[],
): Task[] {
  const places = new Map(order.map((name, index) => [name, index]));
  const placeOf = ({ task }: Task) => places.get(task) ?? order.length;
  return tasks.toSorted(
    (one, other) =>
      placeOf(one) - placeOf(other) ||
      other.priority - one.priority ||
      one.firstAt.localeCompare(other.firstAt) ||
      one.task.localeCompare(other.task),
  );
}

/**
 * The order once a task is at a place (from 0 on) among all, which are given as they go on. Whoever comes before a task that is in the order is in
 * it, too: of the others, runs go on side by side.
 */
export function placedAt(
  all: readonly string[],
  order: readonly string[],
  { name, at }: { name: string; at: number },
): string[] {
  const others = all.filter((each) => each !== name);
  const ordered = new Set(order);
  const before = others.filter((each) => ordered.has(each)).length;
  return [...others.slice(0, at), name, ...others.slice(at)].slice(0, Math.max(at, before) + 1);
}

/** The order of those tasks that an act is about; undefined: none of them comes before others. */
export function orderOf(
  tasks: readonly Pick<HeldTask, 'task' | 'priority'>[],
  order: readonly string[],
): Order | undefined {
  const present = new Set(tasks.map(({ task }) => task));
  const names = order.filter((name) => present.has(name));
  if (names.length === 0 || tasks.length < 2) return undefined;
  return {
    names,
    hasOthers: names.length < tasks.length,
    hasPriorities: new Set(tasks.map(({ priority }) => priority)).size > 1,
  };
}
