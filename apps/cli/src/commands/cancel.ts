import { EscapementError, type RunState } from '@escapement/core';
import { cancelBatches, type RunView, requestCancel } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, whoAsks, withDatabase } from '../context.ts';
import { MAX_WORDS, readWords } from '../options.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { followRun } from './follow.ts';
import { requireRun, unknownRun } from './runs.ts';

interface CancelOptions {
  reason?: string;
  wait: boolean;
}

export function addCancel(runs: Command, context: Context, end: (code: ExitCode) => void): void {
  runs
    .command('cancel')
    .description('end a run and the runs it has fanned out; if a worker runs it now, the worker stops it')
    .argument('<id>', 'id of the run')
    .option('--reason <text>', `why, for the ledger; at most ${MAX_WORDS} characters`, readWords('--reason'))
    .option('--wait', 'wait for the end; exit code 1 if the run ended otherwise', false)
    .action(async (id: string, options: CancelOptions) => end(await cancel(id, options, context)));
}

async function cancel(id: string, { reason, wait }: CancelOptions, context: Context): Promise<ExitCode> {
  return await withDatabase(context, async (db) => {
    const run = await requireRun(db, id);
    const result = await requestCancel(db, run.id, { who: whoAsks(), reason: reason || null });
    if (result.kind === 'not_found') throw unknownRun(run.id);
    if (result.kind === 'too_late') {
      const batches = await cancelBatches(db, run.id, { who: whoAsks(), reason: reason || null });
      if (batches.length === 0) throw tooLate(run.id, result.state);
      return tellBatches(batches, run, context);
    }
    if (!wait) return tell(result.kind, run, context);
    const ended = await followRun(db, run.id, { signal: context.interruptible(), log: false }, context);
    context.output.result(ended, () => [`${ended.state}${ended.reason ? `: ${ended.reason}` : ''}`]);
    return ended.state === 'cancelled' ? EXIT.ok : EXIT.failed;
  });
}

function tell(kind: 'cancelled' | 'requested', run: RunView, { output }: Context): ExitCode {
  const { id, taskName: task } = run;
  output.result({ id, task, result: kind }, () => [
    kind === 'cancelled' ? `run ${id} of ${task} is cancelled` : `run ${id} of ${task} is running; it is being stopped`,
  ]);
  return EXIT.ok;
}

/** A run may have ended long before the runs that it has fanned out. */
function tellBatches(batches: readonly string[], { id, state }: RunView, { output }: Context): ExitCode {
  output.result({ id, result: 'batches_cancelled', batches }, () => [
    `run ${id} is ${state}; what it has fanned out is cancelled: no more runs are made, those that are open are stopped`,
  ]);
  return EXIT.ok;
}

const ALREADY: Partial<Record<RunState, string>> = {
  succeeded: 'has already succeeded',
  failed: 'has already failed',
  timed_out: 'has already timed out',
  cancelled: 'has already been cancelled',
  quarantined: 'has already been quarantined',
  skipped: 'was skipped and never runs',
  missed: 'was missed and never runs',
  superseded: 'was superseded and never runs',
};

function tooLate(id: string, state: RunState): EscapementError {
  if (state === 'unknown')
    return new EscapementError('run_ended', `run ${id} is unknown: nobody runs it any more`, {
      fix: `say what became of it: \`escapement runs resolve ${id} --as succeeded|failed|rerun --note TEXT\``,
    });
  return new EscapementError('run_ended', `run ${id} ${ALREADY[state] ?? `is ${state}`}`, {
    fix: `see \`escapement runs show ${id}\``,
  });
}
