import { type EgressPolicy, EscapementError, inOrderOfSaving, type TaskDefinition } from '@escapement/core';
import type { TaskEffect } from '@escapement/operations';
import {
  checkEgress,
  checkMayGo,
  checkUnknownTask,
  deleteTask,
  effectOf,
  saveProblems,
  saveTask,
  type UndoneEdit,
  undoneEdits,
} from '@escapement/operations';
import { type Database, listTasks, pingDatabase, type Task } from '@escapement/store';
import type { Command } from 'commander';
import { pruneDoubt } from '../apply/allow-prune.ts';
import { type ApplyPlan, planApply, problemWords } from '../apply/plan.ts';
import type { FileProblem, ReadFiles } from '../apply/read-documents.ts';
import { effectLine, effectLines } from '../changes/show-effect.ts';
import { undoesWords } from '../changes/undone-by.ts';
import { type Acting, type Context, configOf, withDatabase } from '../context.ts';
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

async function applyRead(read: ReadFiles, options: ApplyOptions, context: Context): Promise<ExitCode> {
  const source = `files:${options.set}`;
  const { egress } = configOf(context);
  return await withDatabase(context, async (db, by) => {
    const existing = await listTasks(db);
    const plan = planApply({ read: read.tasks, existing, source, adopt: options.adopt, check: checkWith(egress) });
    const problems = [...read.problems, ...plan.problems, ...(await problemsOfSaves(db, plan))];
    if (problems.length > 0) return refuse(problems, context);
    if (options.prune) await checkPrune(plan, existing);
    const effects = await effectsOf(db, plan, options);
    const had = existing.filter((task) => task.source === source).length;
    if (options.prune) await allowPrune(plan, { had, options, context });
    if (!options.plan) await write(db, plan, { source, prune: options.prune, note: options.note, egress, by });
    show({ effects, plan, options }, context);
    return EXIT.ok;
  });
}

/** What each save would be refused for, with the place of its task. */
async function problemsOfSaves(db: Database, { tasks }: ApplyPlan): Promise<FileProblem[]> {
  const problems: FileProblem[] = [];
  const together = tasks.map(({ definition }) => definition.name);
  for (const { definition, changed, place } of tasks)
    for (const error of changed ? await saveProblems(db, definition, together) : [])
      problems.push({ file: place.file, line: place.line, message: wordsOf(definition.name, problemWords(error)) });
  return problems;
}

function wordsOf(name: string, problem: string): string {
  return problem.startsWith(`task ${name} `) ? problem : `task ${name}: ${problem}`;
}

/** Asks who is at the terminal; throws `prune_refused` where nobody is, or says no. With --plan it is a remark. */
async function allowPrune(
  plan: ApplyPlan,
  { had, options, context }: { had: number; options: ApplyOptions; context: Context },
): Promise<void> {
  const left = plan.left.map(({ name }) => name);
  const doubt = pruneDoubt({ set: options.set, left, had, allowed: options.allowPrune });
  if (doubt === undefined) return;
  const fix = `if that is meant: --allow-prune ${left.length}`;
  if (options.plan) return context.output.note(`${doubt}; ${fix}`);
  const asks = context.confirm && !options.file.includes('-');
  if (asks && (await context.confirm?.(`${doubt}. Delete them? [y/N] `))) return;
  throw new EscapementError('prune_refused', `${doubt}; nothing was changed`, { fix });
}

function checkWith(egress: EgressPolicy): (value: unknown) => TaskDefinition {
  return (value) => {
    const definition = checkUnknownTask(value);
    checkEgress(definition, egress);
    return definition;
  };
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

/** Throws `task_is_named` before anything is written: a task that stays may name one that is to go. */
async function checkPrune({ tasks, left }: ApplyPlan, existing: readonly Task[]): Promise<void> {
  const changed = new Set([...tasks.map(({ definition }) => definition.name), ...left.map(({ name }) => name)]);
  const others = existing.filter(({ name }) => !changed.has(name));
  checkMayGo(
    left,
    [...tasks, ...others].map(({ definition }) => definition),
  );
}

/** What is done to a task, and what people have edited of it that is undone by that. */
type AppliedEffect = TaskEffect & { undoes: UndoneEdit[] };

async function effectsOf(db: Database, plan: ApplyPlan, { days, prune }: ApplyOptions): Promise<AppliedEffect[]> {
  const question = { from: (await pingDatabase(db)).now, days, timeZone: systemZone() };
  const effects: AppliedEffect[] = [];
  for (const { task, definition, changed } of plan.tasks) {
    if (!changed) continue;
    const effect = await effectOf(db, { task, definition }, question);
    effects.push({ ...effect, undoes: task ? await undoneEdits(db, task, effect.changed) : [] });
  }
  if (!prune) return effects;
  for (const task of plan.left)
    effects.push({ ...(await effectOf(db, { task, definition: undefined }, question)), undoes: [] });
  return effects;
}

async function write(
  db: Database,
  plan: ApplyPlan,
  {
    source,
    prune,
    note,
    egress,
    by,
  }: { source: string; prune: boolean; note: string | undefined; egress: EgressPolicy; by: Acting },
): Promise<void> {
  const together = plan.tasks.map(({ definition }) => definition.name);
  const context = { source, by: by(note), egress, together };
  const changed = plan.tasks.filter((task) => task.changed).map(({ definition }) => definition);
  for (const definition of inOrderOfSaving(changed)) await saveTask(db, definition, context);
  const left = inOrderOfSaving(plan.left.map(({ definition }) => definition)).toReversed();
  if (prune) for (const { name } of left) await deleteTask(db, name, by(note));
}

interface Shown {
  effects: readonly AppliedEffect[];
  plan: ApplyPlan;
  options: ApplyOptions;
}

function show({ effects, plan, options }: Shown, { output }: Context): void {
  const { days } = options;
  const unchanged = plan.tasks.filter(({ changed }) => !changed).length;
  const left = plan.left.map(({ name }) => name);
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
