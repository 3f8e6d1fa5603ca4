import type { AnswerOf } from '@escapement/api/calls';
import { applyTasks, previewApply } from '@escapement/api/routes';
import { briefly, EscapementError, MINUTE, undoesWords } from '@escapement/core';
import type { Command } from 'commander';
import { notJson } from '../apply/not-json.ts';
import type { FileProblem, FileTask, ReadFiles } from '../apply/read-documents.ts';
import { effectLine, effectLines, type TaskEffect } from '../changes/show-effect.ts';
import type { Context } from '../context.ts';
import { type Calls, withFleet } from '../fleet.ts';
import { MAX_PRUNED, readCount, readSet } from '../options.ts';
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
  reason?: string;
}

const MAX_DAYS = 366;
/** Thousands of tasks are saved one after the other. */
const TIMEOUT_MS = 5 * MINUTE;

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
    .option('--set <name>', 'the set of tasks that these files define completely', readSet('--set'), 'default')
    .option('--days <n>', 'with --plan: compare the occurrences of this many days', readCount('--days', 1, MAX_DAYS), 7)
    .option('--reason <text>', 'why; kept with each version')
    .action(async (options: ApplyOptions) => end(await apply(options, context)));
}

async function apply(options: ApplyOptions, context: Context): Promise<ExitCode> {
  // Loads the reader of YAML, which other commands can do without.
  const { readTaskFiles } = await import('../apply/read-files.ts');
  const read = notJson(await readTaskFiles(options.file, context.stdin));
  try {
    const answer = await withFleet(context, (fleet) => carryOut(fleet, read, options, context));
    if (read.problems.length > 0) return refuse(read.problems, context);
    show(answer, read, options, context);
    return EXIT.ok;
  } catch (error) {
    // What is wrong in the files is told also where there is nobody to compare them.
    const problems = [...read.problems, ...problemsOf(error, read.tasks)];
    if (problems.length > 0) return refuse(problems, context);
    throw error;
  }
}

type Applied = AnswerOf<typeof applyTasks>;

/** Throws what is wrong with the files, or refused. */
async function carryOut(fleet: Calls, read: ReadFiles, options: ApplyOptions, context: Context): Promise<Applied> {
  const { set, prune, allowPrune, adopt, days, reason } = options;
  const body = {
    tasks: read.tasks.map(({ value }) => value),
    places: read.tasks.map(({ file, line }) => `${file}:${line}`),
    ...{ set, prune, allowPrune, adopt, days, timeZone: systemZone() },
  };
  const plan = async () => await fleet.call(previewApply, { body }, { timeoutMs: TIMEOUT_MS });
  const apply = async (more: { plan?: Plan; allowPrune?: number }) =>
    await fleet.call(applyTasks, { body: { ...body, ...more, reason } }, { timeoutMs: TIMEOUT_MS });
  if (options.plan || read.problems.length > 0) {
    const planned = await plan();
    if (planned.doubt !== null && read.problems.length === 0)
      context.output.note(`${planned.doubt}; if that is meant: --allow-prune ${deletionsOf(planned.plan)}`);
    return planned;
  }
  try {
    return await apply({});
  } catch (error) {
    if (!asksFor(error, options, context)) throw error;
    const planned = await plan();
    if (!(await context.confirm?.(`${planned.doubt}. Delete them? [y/N] `))) throw error;
    return await apply({ plan: planned.plan, allowPrune: deletionsOf(planned.plan) });
  }
}

type Plan = AnswerOf<typeof previewApply>['plan'];

function deletionsOf(plan: Plan): number {
  return Object.values(plan).filter(({ action }) => action === 'delete').length;
}

/** Whether somebody at the terminal can be asked what a pruning was refused for. */
function asksFor(error: unknown, { allowPrune, file }: ApplyOptions, { confirm }: Context): boolean {
  if (!(error instanceof EscapementError && error.code === 'prune_refused')) return false;
  return allowPrune === undefined && confirm !== undefined && !file.includes('-');
}

/** What has been refused of the tasks, by their places in the files. */
function problemsOf(error: unknown, tasks: readonly FileTask[]): FileProblem[] {
  if (!(error instanceof EscapementError && error.code === 'tasks_refused')) return [];
  return error.values.flatMap(({ path, message }) => {
    const task = tasks[Number(path.split('.')[1])];
    return task ? [{ file: task.file, line: task.line, message }] : [];
  });
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

function show(
  { effects, unchanged, left }: Applied,
  read: ReadFiles,
  options: ApplyOptions,
  { output }: Context,
): void {
  const { days } = options;
  output.result({ planned: options.plan, effects, unchanged, left, pruned: options.prune }, () =>
    effects.flatMap((effect) => [
      ...(options.plan ? effectLines(effect, days) : [effectLine(effect, days)]),
      ...effect.undoes.map((edit) => `  ${undoesWords(edit, options.plan)}`),
    ]),
  );
  if (read.tasks.length + left.length === 0) output.note('the files hold no task');
  else output.note(totals({ effects, unchanged, left: options.prune ? 0 : left.length }, options.plan));
  if (left.length > 0 && !options.prune)
    output.note(
      `in the files no more, and left as they are without --prune: ${briefly(left)}${left.length > 5 ? ' (-o json names all)' : ''}`,
    );
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
