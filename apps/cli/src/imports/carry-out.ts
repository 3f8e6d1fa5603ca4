import { applyTasks, previewApply } from '@escapement/api/routes';
import { EscapementError, MINUTE } from '@escapement/core';
import type { TaskFormat, Translated, Translation } from '@escapement/formats';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { systemZone } from '../output/wording.ts';
import type { ImportOptions } from './options.ts';
import { type Carried, showReport } from './report.ts';

/** Thousands of tasks are saved one after the other. */
const TIMEOUT_MS = 5 * MINUTE;

interface Import {
  format: Exclude<TaskFormat, 'files'>;
  translation: Translation;
  options: ImportOptions;
}

/** Shows what becomes of what another scheduler runs, or makes it so. Nothing is half done: whatever is refused is told before. */
export async function carryOutImport(given: Import, context: Context): Promise<ExitCode> {
  const { translation, options } = given;
  refuseContradictions(given);
  const spoilt = translation.refused.length + translation.tasks.filter(({ lost }) => lost.length > 0).length;
  if (options.strict && spoilt > 0) {
    showReport({ ...given, carried: { kind: 'refused-all' } }, context);
    return EXIT.usage;
  }
  const chosen = translation.tasks.filter(({ task }) => options.only?.includes(task.name) ?? true);
  const carried = options.write ? await write(given, chosen, context) : await compare(given, chosen, context);
  showReport({ ...given, carried }, context);
  const nothingRead = translation.tasks.length === 0 && translation.refused.length > 0;
  return carried.kind === 'problems' || nothingRead ? EXIT.usage : EXIT.ok;
}

/** Throws `bad_only`, `prune_refused`. */
function refuseContradictions({ translation: { tasks, refused }, options: { only, prune } }: Import): void {
  const unknown = only?.find((name) => tasks.every(({ task }) => task.name !== name));
  if (unknown !== undefined)
    throw new EscapementError('bad_only', `--only names ${unknown}, which is none of these tasks`, {
      fix: 'give names of tasks as the preview shows them',
    });
  const why = only ? 'with --only most tasks are left out on purpose' : `${refused.length} could not be read`;
  if (prune && (only || refused.length > 0))
    throw new EscapementError('prune_refused', `--prune deletes what is not there any more, and ${why}`, {
      fix: only ? 'leave out one of them' : 'correct these first: without --prune they are named',
    });
}

function bodyOf({ format, options }: Import, chosen: readonly Translated[]) {
  const { prune, allowPrune, adopt, source: set } = options;
  return {
    tasks: chosen.map(({ task }) => task),
    atFirst: chosen.map(({ atFirst }) => JSON.parse(JSON.stringify(atFirst))),
    places: chosen.map(({ place }) => place),
    paused: chosen.filter(({ paused }) => paused).map(({ task }) => task.name),
    ...{ format, set, prune, allowPrune, adopt, timeZone: systemZone() },
  };
}

async function write(given: Import, chosen: readonly Translated[], context: Context): Promise<Carried> {
  const body = bodyOf(given, chosen);
  return await orProblems(chosen, () =>
    withFleet(context, async (fleet) => ({
      kind: 'written' as const,
      answer: await fleet.call(applyTasks, { body }, { timeoutMs: TIMEOUT_MS }),
    })),
  );
}

/** What would be done. Where nobody can be asked, everything would be new. */
async function compare(given: Import, chosen: readonly Translated[], context: Context): Promise<Carried> {
  const body = bodyOf(given, chosen);
  try {
    return await orProblems(chosen, () =>
      withFleet(context, async (fleet) => ({
        kind: 'planned' as const,
        answer: await fleet.call(previewApply, { body }, { timeoutMs: TIMEOUT_MS }),
      })),
    );
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    context.output.note(`not compared with the tasks that are there: ${error.message}`);
    return { kind: 'alone' };
  }
}

/** Tasks that could not be saved as they are, all of them, instead of an error. */
async function orProblems(chosen: readonly Translated[], ask: () => Promise<Carried>): Promise<Carried> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof EscapementError && error.code === 'tasks_refused')) throw error;
    const problems = error.values.flatMap(({ path, message }) => {
      const task = chosen[Number(path.split('.')[1])]?.task;
      return task ? [{ task: task.name, message }] : [];
    });
    return { kind: 'problems', problems };
  }
}
