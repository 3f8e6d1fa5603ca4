import { EscapementError, redactUnknownDefinition } from '@escapement/core';
import { type TaskVersionEntry, taskHistory } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { inUtc } from '../output/wording.ts';

export function addTaskHistory(tasks: Command, context: Context): void {
  tasks
    .command('history')
    .description('every version of a task: when, by whom, and what changed')
    .argument('<name>', 'name of the task; also of a deleted one')
    .action((name: string) => showHistory(name, context));
}

async function showHistory(name: string, context: Context): Promise<void> {
  const versions = await withDatabase(context, (db) => taskHistory(db, name));
  if (versions.length === 0)
    throw new EscapementError('unknown_task', `there never was a task "${name}"`, {
      fix: 'see `escapement tasks list`',
    });
  const shown = versions.map(({ definition, ...entry }) => ({
    ...entry,
    definition: redactUnknownDefinition(definition),
  }));
  context.output.table({ name, versions: shown }, versions, [
    { title: 'VERSION', value: (entry) => String(entry.version), align: 'right' },
    { title: 'SAVED', value: (entry) => inUtc(entry.savedAt) },
    { title: 'BY', value: (entry) => entry.savedBy },
    { title: 'SOURCE', value: (entry) => entry.source },
    { title: 'CHANGED', value: (entry) => changedParts(entry, versions).join(', ') || '-', wraps: true },
    { title: 'NOTE', value: (entry) => entry.note ?? '', wraps: true },
  ]);
}

/** The top-level parts in which a version differs from the one before. */
function changedParts(entry: TaskVersionEntry, versions: readonly TaskVersionEntry[]): string[] {
  const before = versions.find(({ version }) => version === entry.version - 1);
  if (!before) return ['created'];
  const [was, is] = [partsOf(before), partsOf(entry)];
  return [...new Set([...was.keys(), ...is.keys()])].filter((part) => was.get(part) !== is.get(part));
}

function partsOf({ definition }: TaskVersionEntry): Map<string, string> {
  return new Map(Object.entries(definition ?? {}).map(([part, value]) => [part, JSON.stringify(value)]));
}
