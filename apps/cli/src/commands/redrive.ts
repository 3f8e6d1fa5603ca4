import { FAILED_STATES } from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { bulk, filterOf, type SelectionOptions, withSelection } from './bulk.ts';

export function addRedrive(runs: Command, context: Context): void {
  const redrive = runs
    .command('redrive')
    .description('run all runs again that failed for good and have not been rerun yet');
  withSelection(redrive, FAILED_STATES, { mandatory: true }).action((options: SelectionOptions) => {
    const { dryRun, yes, reason } = options;
    return bulk({ action: 'redrive', ...filterOf(options, context) }, { done: 'rerun', dryRun, yes, reason }, context);
  });
}
