import type { AnswerOf } from '@escapement/api/calls';
import { previewBulkAction, startBulkAction } from '@escapement/api/routes';
import { type BulkResult, EscapementError, type RunState, readInstant, SECOND } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import type { BulkAsked, RunFilter } from '@escapement/operations';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { type SeenRun, withFleet } from '../fleet.ts';
import { LABEL_HELP, LABEL_OPTION, MAX_WORDS, readCount, readSelector, readWords, readWordsOf } from '../options.ts';
import type { Output } from '../output/print.ts';
import type { Column } from '../output/table.ts';
import { counted, inUtc, systemZone } from '../output/wording.ts';
import { followRequest } from './follow-request.ts';

/** Which runs a command is about, as its options say. */
export interface SelectionOptions {
  task?: string;
  label?: LabelSelector;
  state?: RunState[];
  since?: string;
  until?: string;
  limit?: number;
  reason?: string;
  dryRun: boolean;
  yes: boolean;
}

const MOST = 10_000_000;

/** Options of each command that is about many. */
export const DRY_RUN = ['--dry-run', 'only say how many it is about, and name the first', false] as const;
export const YES = ['-y, --yes', 'do not ask; needed where there is no terminal', false] as const;

/** The options of a command that is about many runs; `states`: which it is possible for. `mandatory`: they must be named. */
export function withSelection(
  command: Command,
  states: readonly RunState[],
  { mandatory = false }: { mandatory?: boolean } = {},
): Command {
  return command
    .option('--task <name>', 'only runs of one task', readWords('--task'))
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .addOption(
      new Option('--state <states>', `only runs in these states, separated by commas: ${states.join(', ')}`)
        .argParser(readWordsOf({ what: '--state', known: states, code: 'unknown_state' }))
        .makeOptionMandatory(mandatory),
    )
    .option('--since <instant>', 'scheduled then or later: ISO 8601, or a span such as 2h')
    .option('--until <instant>', 'scheduled before then; default: now')
    .option('--limit <n>', 'at most this many, the oldest first; default: all', readCount('--limit', 1, MOST))
    .option('--reason <text>', `why, for the ledger; at most ${MAX_WORDS} characters`, readWords('--reason'))
    .option(...DRY_RUN)
    .option(...YES);
}

/** The filter of the options. */
export function filterOf({ task, label, state, since, until, limit }: SelectionOptions, { clock }: Context): RunFilter {
  const now = clock.now();
  const instant = (what: string, text: string | undefined) =>
    text === undefined ? undefined : readInstant(text, { what, now, spans: 'ago', timeZone: systemZone() });
  return {
    task,
    labels: label,
    states: state,
    since: instant('--since', since),
    until: instant('--until', until),
    limit,
  };
}

/** Throws `nothing_selected` where a command that is dangerous without bounds has none, `too_much_selected` where it has an id too. */
export function checkSelection(id: string | undefined, { task, label, state, since, until }: SelectionOptions): void {
  const bounded = [task, label, state, since, until].some((bound) => bound !== undefined);
  if (id === undefined && !bounded)
    throw new EscapementError('nothing_selected', 'it is not said which runs', {
      fix: 'give the id of a run, or --task, --label, --state, --since or --until for many',
    });
  if (id !== undefined && bounded)
    throw new EscapementError('too_much_selected', `run ${id} is named, and others are selected too`, {
      fix: 'give either the id of a run or options that select many',
    });
}

/** Which tasks a command is about that may name one instead. */
export interface TasksOptions {
  label?: LabelSelector;
  dryRun: boolean;
  yes: boolean;
}

/** The options of a command that takes a task or labels. */
export function withTasks(command: Command): Command {
  const help = 'all tasks with these labels instead of one: team=shop, env=test|stage, with commas between';
  return command
    .option(LABEL_OPTION, help, readSelector)
    .option(...DRY_RUN)
    .option(...YES);
}

/** The labels, where a command is about many tasks. Throws `nothing_selected`, `too_much_selected`. */
export function manyTasks(name: string | undefined, { label, dryRun }: TasksOptions): LabelSelector | undefined {
  if (name === undefined && !label)
    throw new EscapementError('nothing_selected', 'it is not said which tasks', {
      fix: 'give the name of a task, or --label for all with these labels',
    });
  if (name !== undefined && (label || dryRun))
    throw new EscapementError(
      'too_much_selected',
      `the task ${name} is named, and ${label ? '--label' : '--dry-run'} given`,
      {
        fix: 'give either the name of a task or --label; --dry-run goes with --label',
      },
    );
  return label;
}

/** How an act is worded: `3 runs would be rerun`, `3 runs rerun`. */
export interface BulkWords {
  /** As in `cancelled`. */
  done: string;
  /** What it is about. Default: `run`. */
  of?: 'run' | 'task';
  /** Options of `--dry-run`, `--yes` and `--reason`. */
  dryRun: boolean;
  yes: boolean;
  reason: string | undefined;
}

/**
 * Has an act done to many runs or tasks and waits for its end, showing how far it is; or only says what it would do. First it says how
 * many there are, and asks. Throws `not_confirmed`.
 */
export async function bulk(asked: BulkAsked, words: BulkWords, context: Context): Promise<void> {
  await withFleet(context, async (fleet) => {
    const action = actionOf(asked);
    const preview = await fleet.call(previewBulkAction, { body: action });
    if (words.dryRun) return showPreview(preview, words, context);
    if (!words.yes && preview.total > 0) await confirm(preview, words, context);
    const signal = context.interruptible();
    const { id } = await fleet.call(startBulkAction, { body: { action, reason: words.reason } });
    const result = await followRequest(fleet, id, { signal, noteAfterMs: 2 * SECOND }, context);
    showResult(id, result, words, context);
  });
}

type Action = NonNullable<Parameters<NonNullable<(typeof previewBulkAction)['types']>>[0]['body']>;

/** As requests have it. */
function actionOf(asked: BulkAsked): Action {
  const { labels, since, until, untilAt, fromAt, states, ...rest } = {
    since: undefined,
    until: undefined,
    untilAt: undefined,
    fromAt: undefined,
    states: undefined,
    ...asked,
  };
  const instants = { since: since?.toISOString(), until: until?.toISOString() };
  return {
    ...rest,
    ...instants,
    states: states && [...states],
    label: labels?.text,
    ...(untilAt === undefined ? {} : { untilAt: untilAt?.toISOString() ?? null }),
    ...(fromAt ? { fromAt: fromAt.toISOString() } : {}),
  } as Action;
}

type BulkPreview = AnswerOf<typeof previewBulkAction>;

async function confirm(preview: BulkPreview, words: BulkWords, { confirm: ask, output }: Context): Promise<void> {
  const what = `${counted(preview.total, words.of ?? 'run')} would be ${words.done}`;
  if (!ask)
    throw new EscapementError('not_confirmed', `${what}, and there is no terminal to ask at; nothing was changed`, {
      fix: 'give --yes, or --dry-run to see the first of them',
    });
  const names = [...preview.firstTasks, ...preview.first.map(({ id, taskName }) => `${taskName} ${id}`)];
  output.note([...names, ...(preview.total > names.length ? ['...'] : [])].join('\n'));
  if (await ask(`${what}. Go on? [y/N] `)) return;
  throw new EscapementError('not_confirmed', 'nothing was changed');
}

function showPreview(preview: BulkPreview, { done, of = 'run' }: BulkWords, { output }: Context): void {
  const { total, dropped, first, firstTasks } = preview;
  const json = { dryRun: true, ...preview };
  if (of === 'task') output.table(json, firstTasks, [{ title: 'TASK', value: (name) => name }]);
  else output.table(json, first, RUN_COLUMNS);
  const named = Math.max(first.length, firstTasks.length);
  const more = total > named ? `; these are the first ${named}` : '';
  const older = dropped > 0 ? `, ${dropped} older would be dropped` : '';
  output.note(`${counted(total, of)} would be ${done}${older}${more}; nothing was changed`);
}

const RUN_COLUMNS: readonly Column<SeenRun>[] = [
  { title: 'SCHEDULED FOR', value: ({ scheduledFor }) => inUtc(scheduledFor) },
  { title: 'TASK', value: ({ taskName }) => taskName },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'RUN', value: ({ id }) => id, whole: true },
];

/** What came of a bulk action. */
export function showResult(
  id: string,
  result: BulkResult,
  { done, of = 'run' }: Pick<BulkWords, 'done' | 'of'>,
  { output }: Context,
): void {
  const { passed, dropped } = result;
  output.result({ request: id, ...result }, () => [
    `${counted(result.done, of)} ${done}${dropped > 0 ? `, ${dropped} older dropped` : ''}`,
  ]);
  noteRefused(result, output);
  if (passed > 0) output.note(`${counted(passed, of)} had moved on meanwhile and were left alone`);
}

/** Says what an act was not done to, and why. */
export function noteRefused(
  { refused, refusedCount }: Pick<BulkResult, 'refused' | 'refusedCount'>,
  output: Output,
): void {
  for (const { runId, taskName, why } of refused)
    output.note(`${runId === null ? taskName : `run ${runId} of ${taskName}`} was left alone: ${why}`);
  if (refusedCount > refused.length) output.note(`and ${refusedCount - refused.length} more were left alone`);
}
