import { freezeFleet, unfreezeFleet } from '@escapement/api/routes';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { readNote } from '../options.ts';
import { inUtc } from '../output/wording.ts';
import { pauseEnd } from './pause-end.ts';

interface FreezeOptions {
  reason: string;
  until?: string;
}

/** `freeze` and `unfreeze`: a pause of all tasks. */
export function addFreeze(program: Command, context: Context): void {
  program
    .command('freeze')
    .description(
      'pause all tasks: what falls due is skipped, each in the ledger; what is under way and what people start goes on',
    )
    .requiredOption('--reason <text>', 'why; shown to all, and with every skipped run', readNote('--reason'))
    .option('--until <instant>', 'end by itself then: ISO 8601, or a span such as 2h; default: until `unfreeze`')
    .action((options: FreezeOptions) => freeze(options, context));
  program
    .command('unfreeze')
    .description('end the freeze; skipped occurrences are not run later')
    .option('--reason <text>', 'why', readNote('--reason'))
    .action((options: Partial<FreezeOptions>) => unfreeze(options, context));
}

async function freeze(options: FreezeOptions, context: Context): Promise<void> {
  const untilAt = pauseEnd(options, context);
  const { reason } = options;
  const body = { untilAt: untilAt?.toISOString(), reason };
  await withFleet(context, (fleet) => fleet.call(freezeFleet, { body }));
  context.output.result({ frozen: true, untilAt, reason }, () => [
    `the fleet is frozen until ${untilAt ? inUtc(untilAt) : '`escapement unfreeze`'}`,
  ]);
}

async function unfreeze({ reason }: Partial<FreezeOptions>, context: Context): Promise<void> {
  const { ended } = await withFleet(context, (fleet) => fleet.call(unfreezeFleet, { query: { reason } }));
  context.output.result({ frozen: false, ended }, () => [
    ended ? 'the fleet goes on; what was skipped is not run later' : 'the fleet was not frozen',
  ]);
}
