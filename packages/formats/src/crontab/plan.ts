import { isDeepStrictEqual } from 'node:util';
import { type TaskDefinition, type TaskInput, taskDefinition } from '@escapement/core';
import { type ExistingTask, keyOf, matchTasks, sameSchedule } from './match.ts';
import { nameTask } from './task-name.ts';
import type { UnnamedTask } from './to-task.ts';

export interface PlanInput {
  /** The file's tasks, in its order. */
  wanted: readonly { line: number; id?: string; task: UnnamedTask }[];
  /** All tasks there are, of whatever source. */
  existing: readonly ExistingTask[];
  /** Where the wanted ones come from: only tasks of this source are updated or removed. */
  source: string;
  /** Pool of new tasks that name none. Default: `default`. */
  newPool?: string | undefined;
}

export interface Change {
  field: string;
  from: unknown;
  to: unknown;
}

export type PlannedLine =
  | { line: number; action: 'create'; name: string; task: TaskInput }
  | { line: number; action: 'update'; name: string; task: TaskInput; changes: Change[] }
  | { line: number; action: 'unchanged'; name: string }
  /** Another source has a task that does the same at the same times; a second one would run everything twice. */
  | { line: number; action: 'duplicate'; name: string; source: string };

export interface ImportPlan {
  lines: PlannedLine[];
  /** Tasks of the source that the file has no more. */
  removed: ExistingTask[];
  /** Other sources that run some of the same commands: this may be one of them under another name. */
  relatedSources: string[];
}

/** Compares a file's tasks with those that are there. Pure. */
export function planImport({ wanted, existing, source, newPool }: PlanInput): ImportPlan {
  const own = existing.filter((task) => task.source === source);
  const others = byKey(existing.filter((task) => task.source !== source));
  const sameElsewhere = (task: UnnamedTask) => others.get(keyOf(task)) ?? [];
  const matches = matchTasks(
    wanted.map(({ task }) => task),
    own,
  );
  const names = new Set(existing.map(({ name }) => name));
  const lines = wanted.map(({ line, id, task: asRead }, index): PlannedLine => {
    const task = stillInShadow(asRead, matches[index], id);
    const match = matches[index];
    if (match) return compare(line, match, task);
    const fresh = newPool === undefined ? task : { pool: newPool, ...task };
    const twin = sameElsewhere(fresh).find(({ definition }) => isTwin(fresh, definition));
    if (twin) return { line, action: 'duplicate', name: twin.name, source: twin.source };
    const name = nameTask(identity(fresh), source, (each) => names.has(each));
    names.add(name);
    return { line, action: 'create', name, task: { ...fresh, name } };
  });
  const related = wanted.flatMap(({ task }, index) => (matches[index] ? [] : sameElsewhere(task)));
  return {
    lines,
    removed: own.filter((task) => !matches.includes(task)),
    relatedSources: [...new Set(related.map((task) => task.source))],
  };
}

/** Who imports again without a word of the shadow leaves a task in it, under the id that its line has now. */
function stillInShadow(task: UnnamedTask, match: ExistingTask | undefined, id: string | undefined): UnnamedTask {
  return task.shadow || !match?.definition.shadow || id === undefined ? task : { ...task, shadow: { line: id } };
}

function identity({ handler }: UnnamedTask): Parameters<typeof nameTask>[0] {
  return { command: handler.command ?? '', stdin: handler.stdin, user: handler.user };
}

function byKey(tasks: readonly ExistingTask[]): Map<string | undefined, ExistingTask[]> {
  const map = new Map<string | undefined, ExistingTask[]>();
  for (const task of tasks) {
    const key = keyOf(task.definition);
    if (key !== undefined) map.set(key, [...(map.get(key) ?? []), task]);
  }
  return map;
}

function isTwin(task: UnnamedTask, other: TaskDefinition): boolean {
  return sameSchedule(task, other) && (task.pool ?? 'default') === other.pool;
}

/** What a crontab says; everything else of a task (retries, overlap, retention, ...) stays as somebody has set it. */
const OF_THE_FILE = ['description', 'schedule', 'onFleetStart', 'handler', 'notify'] as const;

function compare(line: number, { name, definition }: ExistingTask, wanted: UnnamedTask): PlannedLine {
  const kept: Partial<TaskDefinition> = { ...definition };
  for (const field of OF_THE_FILE) delete kept[field];
  const { timeoutMs: _, ...said } = wanted;
  const task = withoutUndefined(taskDefinition.parse({ ...kept, ...said, name }));
  const before: Record<string, unknown> = withoutUndefined(definition);
  const after: Record<string, unknown> = task;
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changes = fields
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, from: before[field], to: after[field] }));
  return changes.length === 0 ? { line, action: 'unchanged', name } : { line, action: 'update', name, task, changes };
}

function withoutUndefined<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
