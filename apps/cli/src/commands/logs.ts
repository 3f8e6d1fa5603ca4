import type { Command } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { followRun, writeLog } from './follow.ts';
import { requireRun } from './runs.ts';

export function addLogs(runs: Command, context: Context): void {
  runs
    .command('logs')
    .description('show the output of a run')
    .argument('<id>', 'id of the run')
    .option('-f, --follow', 'continue until the run has ended', false)
    .action((id: string, { follow }: { follow: boolean }) => showLogs(id, follow, context));
}

async function showLogs(id: string, follow: boolean, context: Context): Promise<void> {
  await withDatabase(context, async (db) => {
    const run = await requireRun(db, id);
    if (follow) await followRun(db, run.id, { signal: context.interruptible(), log: true }, context);
    else await writeLog(db, run.id, { attempt: 0, seq: 0 }, context);
  });
}
