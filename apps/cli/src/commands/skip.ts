import { skipTask } from '@escapement/api/routes';
import { MOST_SKIPPED } from '@escapement/operations';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { readCount } from '../options.ts';
import { counted, inUtc } from '../output/wording.ts';
import { taskNamed } from './one-task.ts';

interface SkipOptions {
  next: number;
  reason?: string;
}

/** `tasks skip`: a pause that ends right after the last of the next occurrences. */
export function addTaskSkip(tasks: Command, context: Context): void {
  tasks
    .command('skip')
    .description('skip the next occurrences of a task; each is in the ledger. `tasks resume` ends this')
    .argument('<name>', 'name of the task')
    .option('--next <n>', 'how many, 1 to 1000', readCount('--next', 1, MOST_SKIPPED), 1)
    .option('--reason <text>', 'why; shown with every skipped run')
    .action((name: string, options: SkipOptions) => skip(name, options, context));
}

async function skip(name: string, { next: count, reason }: SkipOptions, context: Context): Promise<void> {
  const { skipped } = await withFleet(context, async (fleet) =>
    fleet.call(skipTask, { params: await taskNamed(fleet, name), body: { count, reason } }),
  );
  context.output.result({ name, skipped }, () => [
    `${name} skips ${counted(count, 'occurrence')}: ${skipped.slice(0, 5).map(inUtc).join(', ')}${count > 5 ? ', ...' : ''}`,
  ]);
}
