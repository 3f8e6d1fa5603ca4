import { getLastRun } from '@escapement/api/routes';
import { EscapementError } from '@escapement/core';
import type { Command } from 'commander';
import type { Calls } from '../fleet.ts';

/** Which run a command is about: its id, or the last one that has begun. */
export interface OneRunOptions {
  task?: string;
  last?: true;
}

export function withOneRun(command: Command): Command {
  return command
    .argument('[id]', 'id of the run, or the first of its digits')
    .option('--task <name>', 'instead of an id: the last run of this task that has begun')
    .option('--last', 'instead of an id: the last run that has begun');
}

/** The id, or the first of its digits. Throws `no_run_named`, and what `getLastRun` throws. */
export async function oneRun(fleet: Calls, id: string | undefined, { task, last }: OneRunOptions): Promise<string> {
  const byTask = task !== undefined || last === true;
  if (id !== undefined && byTask)
    throw new EscapementError(
      'no_run_named',
      `both the id ${id} and ${task === undefined ? '--last' : '--task'} are given`,
      {
        fix: 'give one of them',
      },
    );
  if (id !== undefined) return id;
  if (byTask) return (await fleet.call(getLastRun, { query: { task } })).id;
  throw new EscapementError('no_run_named', 'no run is named', {
    fix: 'give the id of a run, --task NAME for the last of a task, or --last for the last of all',
  });
}
