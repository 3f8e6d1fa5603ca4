import { deleteTask, pauseTask, resumeTask } from '@escapement/api/routes';
import type { LabelSelector } from '@escapement/core/rights';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { readWords } from '../options.ts';
import { counted, inUtc } from '../output/wording.ts';
import { bulk, manyTasks, type TasksOptions, withTasks } from './bulk.ts';
import { taskNamed } from './one-task.ts';
import { pauseEnd } from './pause-end.ts';

interface PauseOptions extends TasksOptions {
  reason?: string;
  until?: string;
}

/** `tasks pause`, `resume` and `delete`. */
export function addTaskChanges(tasks: Command, context: Context): void {
  const pauseTasks = tasks
    .command('pause')
    .description(
      'skip what falls due from now on, of a task or of all with these labels; each skipped occurrence is in the ledger',
    )
    .argument('[name]', 'name of the task')
    .option('--reason <text>', 'why; shown with every skipped run', readWords('--reason'))
    .option('--until <instant>', 'resume by itself then: ISO 8601, or a span such as 2h; default: until resumed')
    .action((name: string | undefined, options: PauseOptions) => {
      const labels = manyTasks(name, options);
      return labels ? pauseMany(labels, options, context) : pause(name ?? '', options, context);
    });
  withTasks(pauseTasks);
  const resumeTasks = tasks
    .command('resume')
    .description('end the pauses of a task, or of all with these labels; skipped occurrences are not run later')
    .argument('[name]', 'name of the task')
    .action((name: string | undefined, options: TasksOptions) => {
      const labels = manyTasks(name, options);
      return labels ? resumeMany(labels, options, context) : resume(name ?? '', context);
    });
  withTasks(resumeTasks);
  tasks
    .command('delete')
    .description('delete a task; its runs stay in the ledger, runs that have not started never start')
    .argument('<name>', 'name of the task')
    .action((name: string) => remove(name, context));
}

async function pauseMany(labels: LabelSelector, options: PauseOptions, context: Context): Promise<void> {
  const { reason, ...words } = options;
  await bulk(
    { action: 'pause', labels, untilAt: pauseEnd(options, context) },
    { ...words, of: 'task', done: 'paused', reason },
    context,
  );
}

async function resumeMany(labels: LabelSelector, options: TasksOptions, context: Context): Promise<void> {
  await bulk({ action: 'resume', labels }, { ...options, of: 'task', done: 'resumed', reason: undefined }, context);
}

async function pause(name: string, options: PauseOptions, context: Context): Promise<void> {
  const { reason } = options;
  const untilAt = pauseEnd(options, context);
  await withFleet(context, async (fleet) => {
    const body = { untilAt: untilAt?.toISOString(), reason };
    await fleet.call(pauseTask, { params: await taskNamed(fleet, name), body });
  });
  context.output.result({ name, paused: true, untilAt, reason: reason ?? null }, () => [
    `${name} is paused ${untilAt ? `until ${inUtc(untilAt)}` : 'until resumed'}`,
  ]);
}

async function resume(name: string, context: Context): Promise<void> {
  const { endedPauses: ended } = await withFleet(context, async (fleet) =>
    fleet.call(resumeTask, { params: await taskNamed(fleet, name), body: {} }),
  );
  context.output.result({ name, paused: false, endedPauses: ended }, () => [
    ended === 0 ? `${name} was not paused` : `${name} is active again (${counted(ended, 'pause')} ended)`,
  ]);
}

async function remove(name: string, context: Context): Promise<void> {
  await withFleet(context, async (fleet) => fleet.call(deleteTask, { params: await taskNamed(fleet, name) }));
  context.output.result({ name, deleted: true }, () => [`${name} is deleted; its runs stay in the ledger`]);
}
