import { type BulkResult, EscapementError, nearest, type RunState, SECOND } from '@escapement/core';
import { askBulk, type BulkAsked, previewBulk, type RunFilter } from '@escapement/operations';
import { type Command, Option } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { readInstant } from '../instant.ts';
import { MAX_WORDS, readCount, readWords } from '../options.ts';
import { counted, inUtc, systemZone } from '../output/wording.ts';
import { followRequest } from './follow-request.ts';

/** Which runs a command is about, as its options say. */
export interface SelectionOptions {
  task?: string;
  state?: RunState[];
  since?: string;
  until?: string;
  limit?: number;
  reason?: string;
  dryRun: boolean;
}

const MOST = 10_000_000;

/** The options of a command that is about many runs; `states`: which it is possible for. `mandatory`: they must be named. */
export function withSelection(
  command: Command,
  states: readonly RunState[],
  { mandatory = false }: { mandatory?: boolean } = {},
): Command {
  return command
    .option('--task <name>', 'only runs of one task', readWords('--task'))
    .addOption(
      new Option('--state <states>', `only runs in these states, separated by commas: ${states.join(', ')}`)
        .argParser(readStatesAmong(states))
        .makeOptionMandatory(mandatory),
    )
    .option('--since <instant>', 'scheduled then or later: ISO 8601, or a span such as 2h')
    .option('--until <instant>', 'scheduled before then; default: now')
    .option('--limit <n>', 'at most this many, the oldest first; default: all', readCount('--limit', 1, MOST))
    .option('--reason <text>', `why, for the ledger; at most ${MAX_WORDS} characters`, readWords('--reason'))
    .option('--dry-run', 'only say how many runs it is about, and name the first', false);
}

/** Throws `unknown_state`. */
function readStatesAmong(states: readonly RunState[]): (text: string, before?: readonly RunState[]) => RunState[] {
  return (text, before = []) => [
    ...before,
    ...text.split(',').map((word) => {
      const state = states.find((each) => each === word.trim());
      if (state) return state;
      const near = nearest(word.trim(), states);
      throw new EscapementError('unknown_state', `--state is "${word.trim()}"`, {
        fix: near ? `did you mean ${near}?` : `give one or more of ${states.join(', ')}`,
      });
    }),
  ];
}

/** The filter of the options. */
export function filterOf({ task, state, since, until, limit }: SelectionOptions, { clock }: Context): RunFilter {
  const now = clock.now();
  const instant = (what: string, text: string | undefined) =>
    text === undefined ? undefined : readInstant(text, { what, now, spans: 'ago', timeZone: systemZone() });
  return { task, states: state, since: instant('--since', since), until: instant('--until', until), limit };
}

/** Throws `nothing_selected` where a command that is dangerous without bounds has none, `too_much_selected` where it has an id too. */
export function checkSelection(id: string | undefined, { task, state, since, until }: SelectionOptions): void {
  const bounded = [task, state, since, until].some((bound) => bound !== undefined);
  if (id === undefined && !bounded)
    throw new EscapementError('nothing_selected', 'it is not said which runs', {
      fix: 'give the id of a run, or --task, --state, --since or --until for many',
    });
  if (id !== undefined && bounded)
    throw new EscapementError('too_much_selected', `run ${id} is named, and others are selected too`, {
      fix: 'give either the id of a run or options that select many',
    });
}

/** How an act is worded: `3 runs would be re-run`, `3 runs re-run`. */
export interface BulkWords {
  /** As in `cancelled`. */
  done: string;
  /** Options of `--dry-run` and `--reason`. */
  dryRun: boolean;
  reason: string | undefined;
}

/** Has an act done to many runs and waits for its end, showing how far it is; or only says what it would do. */
export async function bulk(asked: BulkAsked, words: BulkWords, context: Context): Promise<void> {
  await withDatabase(context, async (db, by) => {
    if (words.dryRun) return showPreview(await previewBulk(db, asked), words, context);
    const signal = context.interruptible();
    const id = await askBulk(db, asked, by(words.reason));
    const result = await followRequest(db, id, { signal, noteAfterMs: 2 * SECOND }, context);
    showResult(id, result, words.done, context);
  });
}

function showPreview(
  { total, dropped, first }: Awaited<ReturnType<typeof previewBulk>>,
  { done }: BulkWords,
  { output }: Context,
): void {
  output.table({ dryRun: true, total, dropped, first }, first, [
    { title: 'SCHEDULED FOR', value: ({ scheduledFor }) => inUtc(scheduledFor) },
    { title: 'TASK', value: ({ taskName }) => taskName },
    { title: 'STATE', value: ({ state }) => state },
    { title: 'RUN', value: ({ id }) => id },
  ]);
  const more = total > first.length ? `; these are the first ${first.length}` : '';
  const older = dropped > 0 ? `, ${dropped} older would be dropped` : '';
  output.note(`${counted(total, 'run')} would be ${done}${older}${more}; nothing was changed`);
}

/** What came of a bulk act. */
export function showResult(id: string, result: BulkResult, done: string, { output }: Context): void {
  const { refusedCount, refused, passed, dropped } = result;
  output.result({ request: id, ...result }, () => [
    `${counted(result.done, 'run')} ${done}${dropped > 0 ? `, ${dropped} older dropped` : ''}`,
  ]);
  for (const { runId, taskName, why } of refused) output.note(`run ${runId} of ${taskName} was left alone: ${why}`);
  if (refusedCount > refused.length) output.note(`and ${refusedCount - refused.length} more were left alone`);
  if (passed > 0) output.note(`${counted(passed, 'run')} had moved on meanwhile and were left alone`);
}
