import { resolveRun } from '@escapement/api/routes';
import { EscapementError, nearest, RESOLUTIONS, type Resolution } from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { MAX_WORDS, readNote } from '../options.ts';

interface ResolveOptions {
  as: Resolution;
  reason: string;
}

export function addResolve(runs: Command, context: Context): void {
  runs
    .command('resolve')
    .description('say what happened to an unknown run: it succeeded, it failed, or it has to run again')
    .argument('<id>', 'id of the run')
    .requiredOption('--as <outcome>', `${RESOLUTIONS.join(', ')}`, readResolution)
    .requiredOption(
      '--reason <text>',
      `how you know, for the ledger; at most ${MAX_WORDS} characters`,
      readNote('--reason'),
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

async function resolve(given: string, { as, reason }: ResolveOptions, context: Context): Promise<void> {
  const { id, task, rerunId } = await withFleet(context, (fleet) =>
    fleet.call(resolveRun, { params: { id: given }, body: { as, reason } }),
  );
  const became = as === 'rerun' ? `has failed, and run ${rerunId} runs it again` : `has ${as}`;
  context.output.result({ id, task, resolvedAs: as, rerunId }, () => [`run ${id} of ${task} ${became}`]);
}
