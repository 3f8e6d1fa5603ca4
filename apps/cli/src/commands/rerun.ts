import { rerunRun } from '@escapement/api/routes';
import { TERMINAL_STATES } from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { bulk, checkSelection, filterOf, type SelectionOptions, withSelection } from './bulk.ts';

interface RerunOptions extends SelectionOptions {
  sameVersion: boolean;
}

export function addRerun(runs: Command, context: Context): void {
  const rerunCommand = runs
    .command('rerun')
    .description(
      'run a run again that has ended, or all of a selection: makes a new run for the same occurrence, linked to it',
    )
    .argument('[id]', 'id of the run');
  withSelection(rerunCommand, TERMINAL_STATES)
    .option('--same-version', 'with the definition that the run had; default: the definition of now', false)
    .action(async (id: string | undefined, options: RerunOptions) => {
      checkSelection(id, options);
      if (id === undefined) await rerunMany(options, context);
      else await rerun(id, options, context);
    });
}

async function rerunMany(options: RerunOptions, context: Context): Promise<void> {
  const { dryRun, yes, reason, sameVersion } = options;
  const asked = { action: 'rerun', sameVersion, ...filterOf(options, context) } as const;
  await bulk(asked, { done: 'rerun', dryRun, yes, reason }, context);
}

async function rerun(id: string, { reason, sameVersion }: RerunOptions, context: Context): Promise<void> {
  const made = await withFleet(context, (fleet) =>
    fleet.call(rerunRun, { params: { id }, body: { reason, sameVersion } }),
  );
  context.output.result(made, () => [`run ${made.id} of ${made.task} runs ${made.rerunOf} again`]);
}
