import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { followRun, writeLog } from './follow.ts';
import { type OneRunOptions, oneRun, withOneRun } from './one-run.ts';

export function addLogs(runs: Command, context: Context): void {
  withOneRun(runs.command('logs').description('show the output of a run'))
    .option('-f, --follow', 'continue until the run has ended', false)
    .option('--raw', 'on a terminal too: let it act on colours and other control sequences of the task', false)
    .action((id: string | undefined, options: LogsOptions) => showLogs(id, options, context));
}

interface LogsOptions extends OneRunOptions {
  follow: boolean;
  raw: boolean;
}

async function showLogs(id: string | undefined, options: LogsOptions, context: Context): Promise<void> {
  await withFleet(context, async (fleet) => {
    const { follow, raw } = options;
    const run = await oneRun(fleet, id, options);
    if (follow) await followRun(fleet, run, { signal: context.interruptible(), log: raw ? 'raw' : 'visible' }, context);
    else await writeLog(fleet, run, { attempt: 0, seq: 0, raw }, context);
  });
}
