import { EscapementError, nearest, RESOLUTIONS, type Resolution } from '@escapement/core';
import { resolveRun } from '@escapement/operations';
import type { Command } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { MAX_WORDS, readNote } from '../options.ts';

interface ResolveOptions {
  as: Resolution;
  note: string;
}

export function addResolve(runs: Command, context: Context): void {
  runs
    .command('resolve')
    .description('say what happened to an unknown run: it succeeded, it failed, or it has to run again')
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
  const { run, rerunId } = await withDatabase(context, (db, by) => resolveRun(db, id, as, by(note)));
  const became = as === 'rerun' ? `has failed, and run ${rerunId} runs it again` : `has ${as}`;
  context.output.result({ id: run.id, task: run.taskName, resolvedAs: as, rerunId }, () => [
    `run ${run.id} of ${run.taskName} ${became}`,
  ]);
}
