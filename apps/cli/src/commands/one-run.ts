import { EscapementError } from '@escapement/core';
import { lastRun, requireRun } from '@escapement/operations';
import type { Database, RunView } from '@escapement/store';
import type { Command } from 'commander';

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

/** Throws `no_run_named`, and what `requireRun` and `lastRun` throw. */
export async function oneRun(db: Database, id: string | undefined, { task, last }: OneRunOptions): Promise<RunView> {
  const byTask = task !== undefined || last === true;
  if (id !== undefined && byTask)
    throw new EscapementError(
      'no_run_named',
      `both the id ${id} and ${task === undefined ? '--last' : '--task'} are given`,
      {
        fix: 'give one of them',
      },
    );
  if (id !== undefined) return await requireRun(db, id);
  if (byTask) return await lastRun(db, task);
  throw new EscapementError('no_run_named', 'no run is named', {
    fix: 'give the id of a run, --task NAME for the last of a task, or --last for the last of all',
  });
}
