import { EscapementError } from '@escapement/core';
import { type RetryResult, type RunView, retryRun } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, whoAsks, withDatabase } from '../context.ts';
import { MAX_WORDS, readWords } from '../options.ts';
import { counted } from '../output/wording.ts';
import { requireRun, unknownRun } from './runs.ts';

interface RetryOptions {
  reason?: string;
  sameVersion: boolean;
}

export function addRetry(runs: Command, context: Context): void {
  runs
    .command('retry')
    .description('run a run again that has ended: makes a new run for the same occurrence, linked to it')
    .argument('<id>', 'id of the run')
    .option('--reason <text>', `why, for the ledger; at most ${MAX_WORDS} characters`, readWords('--reason'))
    .option('--same-version', 'with the definition that the run had; default: the definition of now', false)
    .action((id: string, options: RetryOptions) => retry(id, options, context));
}

async function retry(id: string, { reason, sameVersion }: RetryOptions, context: Context): Promise<void> {
  await withDatabase(context, async (db) => {
    const run = await requireRun(db, id);
    const result = await retryRun(db, run.id, { who: whoAsks(), reason: reason || null, sameVersion });
    if (result.kind !== 'made') throw refusal(result, run);
    const { rerunId } = result;
    context.output.result({ id: rerunId, task: run.taskName, rerunOf: run.id }, () => [
      `run ${rerunId} of ${run.taskName} runs ${run.id} again`,
    ]);
  });
}

function refusal(result: Exclude<RetryResult, { kind: 'made' }>, { id, taskName }: RunView): EscapementError {
  switch (result.kind) {
    case 'not_found':
      return unknownRun(id);
    case 'open':
      return new EscapementError('run_open', `run ${id} has not ended: it is ${result.state}`, {
        fix:
          result.state === 'unknown'
            ? `say what became of it: \`escapement runs resolve ${id} --as rerun --note TEXT\``
            : `wait for its end, or end it: \`escapement runs cancel ${id}\``,
      });
    case 'rerunning':
      return new EscapementError('run_rerunning', `run ${id} is being re-run already, by ${result.rerunId}`, {
        fix: `see \`escapement runs show ${result.rerunId}\``,
      });
    case 'stretch':
      return new EscapementError('run_stretch', `run ${id} stands for ${counted(result.occurrences, 'occurrence')}`, {
        fix: `\`escapement tasks trigger ${taskName}\` runs the task once, now`,
      });
    case 'task_deleted':
      return taskDeleted(id, result.taskName);
  }
}

export function taskDeleted(id: string, taskName: string): EscapementError {
  return new EscapementError('task_deleted', `run ${id} cannot be re-run: its task "${taskName}" was deleted`, {
    fix: 'save the task again first; that revives it',
  });
}
