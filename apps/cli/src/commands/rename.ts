import { getTask, previewTaskChange, renameTask } from '@escapement/api/routes';
import type { Command } from 'commander';
import { effectLines } from '../changes/show-effect.ts';
import { undoneByRename } from '../changes/undone-by.ts';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { systemZone } from '../output/wording.ts';
import { taskNamed } from './one-task.ts';

/** Occurrences of `H` and of jitter are spread by the name of the task: they are compared for so long. */
const DAYS = 7;

interface RenameOptions {
  plan: boolean;
  reason?: string;
}

export function addTaskRename(tasks: Command, context: Context): void {
  tasks
    .command('rename')
    .description('give a task another name; it keeps its runs, versions, pauses, state and key')
    .argument('<name>', 'name of the task')
    .argument('<new-name>', 'a name that no task has, nor a deleted one has had')
    .option('--plan', 'show what would change; change nothing', false)
    .option('--reason <text>', 'why; kept with the version')
    .action((name: string, to: string, options: RenameOptions) => rename(name, to, options, context));
}

async function rename(name: string, to: string, { plan, reason }: RenameOptions, context: Context): Promise<void> {
  const { output } = context;
  await withFleet(context, async (fleet) => {
    const params = await taskNamed(fleet, name);
    const task = await fleet.call(getTask, { params });
    const query = { days: DAYS, timeZone: systemZone(), name: to };
    const { effect } = await fleet.call(previewTaskChange, { params, query, body: {} });
    const version = plan ? null : (await fleet.call(renameTask, { params, body: { name: to, reason } })).version;
    output.result({ kind: plan ? 'planned' : 'renamed', from: name, to, version, effect }, () => [
      plan ? `would rename ${name} to ${to}` : `renamed ${name} to ${to}: version ${version}`,
      ...effectLines(effect, DAYS),
    ]);
    if (plan) output.note('nothing was changed: this is the plan');
    output.note(keptWords(name, task.definition.key !== undefined));
    const undoing = undoneByRename(task.source, { name, to });
    if (undoing !== undefined) output.note(`the task belongs to ${task.source}: ${undoing}`);
  });
}

function keptWords(name: string, ownKey: boolean): string {
  const kept = ownKey ? '' : `its key stays "${name}", so that no two runs overlap and its state is kept; `;
  return `${kept}followers and triggers that name ${name} still find it`;
}
