import { EscapementError, nearest, RESOLUTIONS, type Resolution } from '@escapement/core';
import { resolveRun } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, whoAsks, withDatabase } from '../context.ts';
import { MAX_WORDS, readNote } from '../options.ts';
import { taskDeleted } from './retry.ts';
import { requireRun, unknownRun } from './runs.ts';

interface ResolveOptions {
  as: Resolution;
  note: string;
}

export function addResolve(runs: Command, context: Context): void {
  runs
    .command('resolve')
    .description('say what became of a run that is unknown: it succeeded, it failed, or it is to be run again')
    .argument('<id>', 'id of the run')
    .requiredOption('--as <outcome>', `${RESOLUTIONS.join(', ')}`, readResolution)
    .requiredOption(
      '--note <text>',
      `how you know, for the ledger; at most ${MAX_WORDS} characters`,
      readNote('--note'),
    )
    .action((id: string, options: ResolveOptions) => resolve(id, options, context));
}

/** Throws `unknown_resolution`. */
function readResolution(text: string): Resolution {
  const found = RESOLUTIONS.find((each) => each === text);
  if (found) return found;
  const near = nearest(text, RESOLUTIONS);
  throw new EscapementError('unknown_resolution', `--as is "${text}"`, {
    fix: near ? `did you mean ${near}?` : `give one of ${RESOLUTIONS.join(', ')}`,
  });
}

async function resolve(id: string, { as, note }: ResolveOptions, context: Context): Promise<void> {
  await withDatabase(context, async (db) => {
    const run = await requireRun(db, id);
    const result = await resolveRun(db, run.id, { as, note, who: whoAsks() });
    switch (result.kind) {
      case 'not_found':
        throw unknownRun(run.id);
      case 'task_deleted':
        throw taskDeleted(run.id, result.taskName);
      case 'not_unknown':
        throw new EscapementError('run_not_unknown', `run ${run.id} is ${result.state}, not unknown`, {
          fix: 'only a run whose fate nobody knows is resolved: `escapement runs list --state unknown`',
        });
      case 'resolved': {
        const { rerunId } = result;
        const became = as === 'rerun' ? `has failed, and run ${rerunId} runs it again` : `has ${as}`;
        context.output.result({ id: run.id, task: run.taskName, resolvedAs: as, rerunId }, () => [
          `run ${run.id} of ${run.taskName} ${became}`,
        ]);
      }
    }
  });
}
