import { listVersionsByName } from '@escapement/api/routes';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { inUtc } from '../output/wording.ts';

export function addTaskHistory(tasks: Command, context: Context): void {
  tasks
    .command('history')
    .description('every version of a task: when, by whom, and what changed')
    .argument('<name>', 'name of the task; also of a deleted one')
    .action((name: string) => showHistory(name, context));
}

async function showHistory(name: string, context: Context): Promise<void> {
  const { items: versions } = await withFleet(context, (fleet) => fleet.call(listVersionsByName, { query: { name } }));
  const shown = versions.map(({ changed: _, ...entry }) => entry);
  context.output.table({ name, versions: shown }, versions, [
    { title: 'VERSION', value: (entry) => String(entry.version), align: 'right' },
    { title: 'SAVED', value: (entry) => inUtc(entry.savedAt) },
    { title: 'BY', value: (entry) => entry.savedBy },
    { title: 'SOURCE', value: (entry) => entry.source },
    { title: 'CHANGED', value: ({ changed }) => (changed ?? ['created']).join(', ') || '-', wraps: true },
    { title: 'NOTE', value: (entry) => entry.note ?? '', wraps: true },
  ]);
}
