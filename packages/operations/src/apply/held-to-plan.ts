import { createHash } from 'node:crypto';
import { EscapementError, type TaskDefinition } from '@escapement/core';
import type { Task } from '@escapement/store';
import type { DocumentPlan } from './plan-documents.ts';

/** One thing that a plan writes. */
export interface PlannedWrite {
  action: 'create' | 'update' | 'delete';
  /** The version that it replaces or deletes; null: there is no such task. */
  version: number | null;
  /** SHA-256 of the definition that it saves, by its first 64 bits; null: it deletes. */
  definition: string | null;
}

/** All that a plan writes, by the name of the task. */
export type PlannedWrites = ReadonlyMap<string, PlannedWrite>;

const DIGITS = 16;

/** What a plan writes. `prune`: what is no longer in the documents is deleted. */
export function writesOf(
  { tasks, left }: Pick<DocumentPlan<unknown>, 'tasks' | 'left'>,
  { prune }: { prune: boolean },
): PlannedWrites {
  const saves = tasks
    .filter(({ changed }) => changed)
    .map(({ task, definition }) => [definition.name, writeOf(task, definition)] as const);
  const deletions = prune ? left.map((task) => [task.name, writeOf(task, undefined)] as const) : [];
  return new Map([...saves, ...deletions]);
}

function writeOf(task: Task | null, definition: TaskDefinition | undefined): PlannedWrite {
  const version = task?.version ?? null;
  if (!definition) return { action: 'delete', version, definition: null };
  return { action: task ? 'update' : 'create', version, definition: digestOf(definition) };
}

/** Parsed definitions have their keys in the order of the schema; those of payloads and the like are as they are given. */
function digestOf(definition: TaskDefinition): string {
  return createHash('sha256').update(JSON.stringify(definition)).digest('hex').slice(0, DIGITS);
}

/**
 * What would be written and was not planned so, in words. What was planned and is no longer to be written is as planned already: an apply
 * that was cut off may be repeated.
 */
export function differences(now: PlannedWrites, planned: PlannedWrites): string[] {
  return [...now].flatMap(([name, write]) => {
    const words = difference(write, planned.get(name));
    return words === undefined ? [] : [`task ${name} ${words}`];
  });
}

const VERBS = { create: 'created', update: 'updated', delete: 'deleted' } as const;

function difference(now: PlannedWrite, planned: PlannedWrite | undefined): string | undefined {
  if (!planned) return `is to be ${VERBS[now.action]}, which was not planned`;
  if (planned.action !== now.action) return `is to be ${VERBS[now.action]}, not ${VERBS[planned.action]} as planned`;
  if (planned.version !== now.version) return `has version ${now.version} by now, not ${planned.version} as planned`;
  return planned.definition === now.definition ? undefined : 'is to have another definition than was planned';
}

/** That something would be done that was not planned. `done`: writes that were made before. */
export function planOutdated(words: readonly string[], done = 0): EscapementError {
  const listed = `${words.slice(0, NAMED).join('; ')}${words.length > NAMED ? `; and ${words.length - NAMED} more` : ''}`;
  const rest = done === 0 ? 'nothing was changed' : `${done} of the changes were made before that`;
  return new EscapementError('plan_outdated', `${listed}; ${rest}`, { fix: 'plan it again' });
}

const NAMED = 20;
