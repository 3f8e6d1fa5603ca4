import type { AnswerOf } from '@escapement/api/calls';
import { cancelRun } from '@escapement/api/routes';
import { CANCELLABLE_STATES } from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { bulk, checkSelection, filterOf, type SelectionOptions, withSelection } from './bulk.ts';
import { followRun } from './follow.ts';

interface CancelOptions extends SelectionOptions {
  wait: boolean;
}

export function addCancel(runs: Command, context: Context, end: (code: ExitCode) => void): void {
  const cancelOne = runs
    .command('cancel')
    .description(
      'end a run and the runs it has fanned out, or all runs of a selection; if a worker runs one now, it stops it',
    )
    .argument('[id]', 'id of the run');
  withSelection(cancelOne, CANCELLABLE_STATES)
    .option('--wait', 'wait for the end; exit code 1 if the run ended otherwise', false)
    .action(async (id: string | undefined, options: CancelOptions) => {
      checkSelection(id, options);
      if (id === undefined) await cancelMany(options, context);
      else end(await cancel(id, options, context));
    });
}

async function cancelMany(options: CancelOptions, context: Context): Promise<void> {
  const { dryRun, yes, reason } = options;
  await bulk({ action: 'cancel', ...filterOf(options, context) }, { done: 'cancelled', dryRun, yes, reason }, context);
}

async function cancel(id: string, { reason, wait }: CancelOptions, context: Context): Promise<ExitCode> {
  return await withFleet(context, async (fleet) => {
    const cancelled = await fleet.call(cancelRun, { params: { id }, body: { reason } });
    if (!wait || cancelled.kind === 'batches_cancelled') return print(cancelled, context);
    const ended = await followRun(fleet, cancelled.id, { signal: context.interruptible(), log: false }, context);
    context.output.result(ended, () => [`${ended.state}${ended.reason ? `: ${ended.reason}` : ''}`]);
    return ended.state === 'cancelled' ? EXIT.ok : EXIT.failed;
  });
}

type Cancelled = AnswerOf<typeof cancelRun>;

function print({ id, task, state, kind: result, batches }: Cancelled, { output }: Context): ExitCode {
  const words: Record<Cancelled['kind'], string> = {
    cancelled: `run ${id} of ${task} is cancelled`,
    requested: `run ${id} of ${task} is running; it is being stopped`,
    batches_cancelled: `run ${id} is ${state}; what it has fanned out is cancelled: no more runs are made, those that are open are stopped`,
  };
  const more = batches ? { batches } : { task };
  output.result({ id, ...more, result }, () => [words[result]]);
  return EXIT.ok;
}
