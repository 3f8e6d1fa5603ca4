import { requireRun } from '@escapement/operations';
import type { Command } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { followRun, writeLog } from './follow.ts';

export function addLogs(runs: Command, context: Context): void {
  runs
    .command('logs')
    .description('show the output of a run')
    .argument('<id>', 'id of the run')
    .option('-f, --follow', 'continue until the run has ended', false)
    .option('--raw', 'on a terminal too: let it act on colours and other control sequences of the task', false)
    .action((id: string, options: LogsOptions) => showLogs(id, options, context));
}

interface LogsOptions {
  follow: boolean;
  raw: boolean;
}

async function showLogs(id: string, { follow, raw }: LogsOptions, context: Context): Promise<void> {
  await withDatabase(context, async (db) => {
    const run = await requireRun(db, id);
    if (follow) await followRun(db, run.id, { signal: context.interruptible(), log: raw ? 'raw' : 'visible' }, context);
    else await writeLog(db, run.id, { attempt: 0, seq: 0, raw }, context);
  });
}
