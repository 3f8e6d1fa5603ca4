import { retryRun } from '@escapement/api/routes';
import { TERMINAL_STATES } from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { bulk, checkSelection, filterOf, type SelectionOptions, withSelection } from './bulk.ts';

interface RetryOptions extends SelectionOptions {
  sameVersion: boolean;
}

export function addRetry(runs: Command, context: Context): void {
  const retryOne = runs
    .command('retry')
    .description(
      'run a run again that has ended, or all of a selection: makes a new run for the same occurrence, linked to it',
    )
    .argument('[id]', 'id of the run');
  withSelection(retryOne, TERMINAL_STATES)
    .option('--same-version', 'with the definition that the run had; default: the definition of now', false)
    .action(async (id: string | undefined, options: RetryOptions) => {
      checkSelection(id, options);
      if (id === undefined) await retryMany(options, context);
      else await retry(id, options, context);
    });
}

async function retryMany(options: RetryOptions, context: Context): Promise<void> {
  const { dryRun, yes, reason, sameVersion } = options;
  const asked = { act: 'retry', sameVersion, ...filterOf(options, context) } as const;
  await bulk(asked, { done: 're-run', dryRun, yes, reason }, context);
}

async function retry(id: string, { reason, sameVersion }: RetryOptions, context: Context): Promise<void> {
  const rerun = await withFleet(context, (fleet) =>
    fleet.call(retryRun, { params: { id }, body: { reason, sameVersion } }),
  );
  context.output.result(rerun, () => [`run ${rerun.id} of ${rerun.task} runs ${rerun.rerunOf} again`]);
}
