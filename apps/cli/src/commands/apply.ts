import { EscapementError } from '@escapement/core';
import {
  type AppliedEffect,
  type ApplyPlan,
  applyProblems,
  checkPrune,
  effectsOf,
  leftOf,
  permitApply,
  planApply,
  pruneDoubtOf,
  type TaskEffect,
  writeApply,
} from '@escapement/operations';
import type { Command } from 'commander';
import type { FileProblem, ReadFiles } from '../apply/read-documents.ts';
import { effectLine, effectLines } from '../changes/show-effect.ts';
import { undoesWords } from '../changes/undone-by.ts';
import { type Context, configOf, withDatabase } from '../context.ts';
import { readCount } from '../options.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { systemZone } from '../output/wording.ts';

interface ApplyOptions {
  file: string[];
  plan: boolean;
  prune: boolean;
  allowPrune?: number;
  adopt: boolean;
  set: string;
  days: number;
  note?: string;
}

const MAX_DAYS = 366;
const MAX_PRUNED = 1_000_000;

export function addApply(program: Command, context: Context, end: (code: ExitCode) => void): void {
  program
    .command('apply')
    .description('create and update tasks from YAML or JSON files; you may repeat it at any time')
    .requiredOption('-f, --file <path...>', 'files, folders, or - for standard input')
    .option('--plan', 'show what would change, occurrence by occurrence; change nothing', false)
    .option('--prune', 'delete tasks of this set that are no longer in the files', false)
    .option(
      '--allow-prune <n>',
      'with --prune: delete up to so many, also if they are more than half of the set',
      readCount('--allow-prune', 0, MAX_PRUNED),
    )
    .option('--adopt', 'take over tasks that belong to code, a crontab or another set', false)
    .option('--set <name>', 'the set of tasks that these files define completely', readSet, 'default')
    .option('--days <n>', 'with --plan: compare the occurrences of this many days', readCount('--days', 1, MAX_DAYS), 7)
    .option('--note <text>', 'why; kept with each version')
    .action(async (options: ApplyOptions) => end(await apply(options, context)));
}

/** Throws `bad_set`. */
function readSet(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text)) return text;
  throw new EscapementError('bad_set', `--set is "${text}"`, { fix: 'letters, digits, dots, _ and -, at most 100' });
}

async function apply(options: ApplyOptions, context: Context): Promise<ExitCode> {
  // Loads the reader of YAML, which other commands can do without.
  const { readTaskFiles } = await import('../apply/read-files.ts');
  const read = await readTaskFiles(options.file, context.stdin);
  try {
    return await applyRead(read, options, context);
  } catch (error) {
    // What is wrong in the files is told also where there is no database to compare them with.
    if (read.problems.length > 0) return refuse(read.problems, context);
    throw error;
  }
}

interface FilePlace {
  file: string;
  line: number;
}

async function applyRead(read: ReadFiles, options: ApplyOptions, context: Context): Promise<ExitCode> {
  const { set, prune, adopt, days, note } = options;
  const { egress } = configOf(context);
  return await withDatabase(context, async (db, by) => {
    const plan = await planApply<FilePlace>(db, {
      ...{ set, prune, adopt, egress },
      read: read.tasks.map(({ file, line, value }) => ({ place: { file, line }, value })),
      placeWords: ({ file, line }) => `${file}:${line}`,
      adoptWords: '--adopt',
    });
    if (!options.plan) await permitApply(db, plan, by(note));
    const wrong = (await applyProblems(db, plan)).map(({ place, message }) => ({ ...place, message }));
    const problems = [...read.problems, ...wrong];
    if (problems.length > 0) return refuse(problems, context);
    checkPrune(plan);
    const effects = await effectsOf(db, plan, { days, timeZone: systemZone() });
    await allowPrune(plan, options, context);
    if (!options.plan) await writeApply(db, plan, by(note));
    show({ effects, plan, left: leftOf(plan, db, by()), options }, context);
    return EXIT.ok;
  });
}

/** Asks who is at the terminal; throws `prune_refused` where nobody is, or says no. With --plan it is a remark. */
async function allowPrune(plan: ApplyPlan<unknown>, options: ApplyOptions, context: Context): Promise<void> {
  const doubt = pruneDoubtOf(plan, options.allowPrune);
  if (doubt === null) return;
  const fix = `if that is meant: --allow-prune ${plan.left.length}`;
  if (options.plan) return context.output.note(`${doubt}; ${fix}`);
  const asks = context.confirm && !options.file.includes('-');
  if (asks && (await context.confirm?.(`${doubt}. Delete them? [y/N] `))) return;
  throw new EscapementError('prune_refused', `${doubt}; nothing was changed`, { fix });
}

function refuse(found: readonly FileProblem[], { output }: Context): ExitCode {
  const problems = found.toSorted((one, other) => compareText(one.file, other.file) || one.line - other.line);
  output.table({ ok: false, problems }, problems, [
    { title: 'PLACE', value: ({ file, line }) => `${file}:${line}` },
    { title: 'PROBLEM', value: ({ message }) => message, wraps: true },
  ]);
  output.note('nothing was changed');
  return EXIT.usage;
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

interface Shown {
  effects: readonly AppliedEffect[];
  plan: ApplyPlan<unknown>;
  /** Of the set, and in the files no more. */
  left: readonly string[];
  options: ApplyOptions;
}

function show({ effects, plan, left, options }: Shown, { output }: Context): void {
  const { days } = options;
  const unchanged = plan.tasks.filter(({ changed }) => !changed).length;
  output.result({ planned: options.plan, effects, unchanged, left, pruned: options.prune }, () =>
    effects.flatMap((effect) => [
      ...(options.plan ? effectLines(effect, days) : [effectLine(effect, days)]),
      ...effect.undoes.map((edit) => `  ${undoesWords(edit, options.plan)}`),
    ]),
  );
  if (plan.tasks.length + plan.left.length === 0) output.note('the files hold no task');
  else output.note(totals({ effects, unchanged, left: options.prune ? 0 : left.length }, options.plan));
  if (left.length > 0 && !options.prune)
    output.note(`in the files no more, and left as they are without --prune: ${left.join(', ')}`);
}

/** `2 created, 1 updated, 4 as the files say already, 1 left`; of a plan, that nothing was changed. */
function totals(
  { effects, unchanged, left }: { effects: readonly TaskEffect[]; unchanged: number; left: number },
  isPlan: boolean,
): string {
  const count = (action: TaskEffect['action']) => effects.filter((effect) => effect.action === action).length;
  const counts = [
    `${count('create')} created`,
    `${count('update') + count('unchanged')} updated`,
    `${unchanged} as the files say already`,
    `${count('delete')} deleted`,
    `${left} left as they are`,
  ].filter((words) => !words.startsWith('0 '));
  return isPlan ? `nothing was changed: this is the plan: ${counts.join(', ')}` : counts.join(', ');
}
