import { deleteTask, pauseTask, resumeTask } from '@escapement/operations';
import type { Command } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { readInstant } from '../instant.ts';
import { counted, inUtc, systemZone } from '../output/wording.ts';

interface PauseOptions {
  note?: string;
  until?: string;
}

/** `tasks pause`, `resume` and `delete`. */
export function addTaskChanges(tasks: Command, context: Context): void {
  tasks
    .command('pause')
    .description('skip what falls due from now on; each skipped occurrence is in the ledger')
    .argument('<name>', 'name of the task')
    .option('--note <text>', 'why; shown with every skipped run')
    .option('--until <instant>', 'resume by itself then: ISO 8601, or a span such as 2h; default: until resumed')
    .action((name: string, options: PauseOptions) => pause(name, options, context));
  tasks
    .command('resume')
    .description('end the pauses of a task; skipped occurrences are not run later')
    .argument('<name>', 'name of the task')
    .action((name: string) => resume(name, context));
  tasks
    .command('delete')
    .description('delete a task; its runs stay in the ledger, runs that have not started never start')
    .argument('<name>', 'name of the task')
    .action((name: string) => remove(name, context));
}

async function pause(name: string, { note, until }: PauseOptions, context: Context): Promise<void> {
  const now = context.clock.now();
  const untilAt =
    until === undefined ? null : readInstant(until, { what: '--until', now, spans: 'ahead', timeZone: systemZone() });
  await withDatabase(context, (db, by) => pauseTask(db, name, untilAt, by(note)));
  context.output.result({ name, paused: true, untilAt, note: note ?? null }, () => [
    `${name} is paused ${untilAt ? `until ${inUtc(untilAt)}` : 'until resumed'}`,
  ]);
}

async function resume(name: string, context: Context): Promise<void> {
  const ended = await withDatabase(context, (db, by) => resumeTask(db, name, by()));
  context.output.result({ name, paused: false, endedPauses: ended }, () => [
    ended === 0 ? `${name} was not paused` : `${name} is active again (${counted(ended, 'pause')} ended)`,
  ]);
}

async function remove(name: string, context: Context): Promise<void> {
  await withDatabase(context, (db, by) => deleteTask(db, name, by()));
  context.output.result({ name, deleted: true }, () => [`${name} is deleted; its runs stay in the ledger`]);
}
