import { EscapementError, formatRate, type TaskDefinition } from '@escapement/core';
import { type Database, disagreeingLimit, disagreeingRate } from '@escapement/store';

/** Names of tasks that are saved with another one: what they ask for until then does not matter. */
export type SavedTogether = readonly string[];

/** Throws `limit_disagrees`: another task asks for another limit of the same key. */
export async function checkLimit(db: Database, task: TaskDefinition, together: SavedTogether = []): Promise<void> {
  const { name, limit } = task;
  const other = await disagreeingLimit(db, { names: [name, ...together], keyTemplate: keyOf(task), limit });
  if (other) throw limitDisagrees(task, other);
}

/** Throws `rate_disagrees`: another task asks for another rate under the same key. */
export async function checkRate(db: Database, task: TaskDefinition, together: SavedTogether = []): Promise<void> {
  const { name, rate } = task;
  if (!rate) return;
  const { limit, perMs } = rate;
  const other = await disagreeingRate(db, { names: [name, ...together], rateKey: rateKeyOf(task, rate), limit, perMs });
  if (other) throw rateDisagrees({ ...task, rate }, other);
}

/** A task that asks for another limit or rate of a key than one before it. */
export interface Disagreement<Task> {
  task: Task;
  other: Task;
  error: EscapementError;
}

/** Tasks that are to be saved together, and do not agree. */
export function disagreements<Task extends { definition: TaskDefinition }>(
  tasks: readonly Task[],
): Disagreement<Task>[] {
  const firstOfKey = new Map<string, Task>();
  const firstOfRate = new Map<string, Task>();
  const found: Disagreement<Task>[] = [];
  for (const task of tasks) {
    const { definition } = task;
    const { rate } = definition;
    const other = firstWith(firstOfKey, keyOf(definition), task);
    if (other.definition.limit !== definition.limit)
      found.push({ task, other, error: limitDisagrees(definition, other.definition) });
    if (!rate) continue;
    const rated = firstWith(firstOfRate, rateKeyOf(definition, rate), task);
    const theirs = rated.definition.rate;
    if (theirs && (theirs.limit !== rate.limit || theirs.perMs !== rate.perMs))
      found.push({
        task,
        other: rated,
        error: rateDisagrees({ ...definition, rate }, { ...theirs, name: rated.definition.name }),
      });
  }
  return found;
}

function firstWith<Task>(first: Map<string, Task>, key: string, task: Task): Task {
  const before = first.get(key);
  if (!before) first.set(key, task);
  return before ?? task;
}

function keyOf({ key, name }: TaskDefinition): string {
  return key ?? name;
}

type Rate = NonNullable<TaskDefinition['rate']>;

function rateKeyOf({ name }: TaskDefinition, { key }: Rate): string {
  return key ?? name;
}

function limitDisagrees(task: TaskDefinition, other: { name: string; limit: number }): EscapementError {
  return new EscapementError(
    'limit_disagrees',
    `task ${task.name} asks for limit ${task.limit} on key "${keyOf(task)}", task ${other.name} for ${other.limit}`,
    { fix: 'the limit belongs to the key: give both the same limit, or another key' },
  );
}

function rateDisagrees(
  task: TaskDefinition & { rate: Rate },
  other: Pick<Rate, 'limit' | 'perMs'> & { name: string },
): EscapementError {
  const { name, rate } = task;
  return new EscapementError(
    'rate_disagrees',
    `task ${name} asks for ${formatRate(rate)} under the rate's key "${rateKeyOf(task, rate)}", task ${other.name} for ${formatRate(other)}`,
    { fix: "what is allowed belongs to the rate's key: give both the same rate, or another key" },
  );
}
