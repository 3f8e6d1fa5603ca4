import { findTask, listRuns } from '@escapement/api/routes';
import { EscapementError, type RunOrigin, type RunState, readInstant, tookMs } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import { parseRunQuery, type RunQuery, RunQueryError, writeRunQuery } from '@escapement/core/run-query';
import type { RunView } from '@escapement/store';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type Calls, type SeenRun, withFleet } from '../fleet.ts';
import { LABEL_HELP, LABEL_OPTION, readCount, readOrigins, readSelector, readStates } from '../options.ts';
import type { Column } from '../output/table.ts';
import { inUtc, span, systemZone } from '../output/wording.ts';
import { changesOf, followList } from './follow-list.ts';

interface ListOptions {
  query: string;
  task?: string;
  label?: LabelSelector;
  state?: RunState[];
  key?: string;
  worker?: string;
  origin?: RunOrigin[];
  planned: boolean;
  since?: string;
  until?: string;
  limit: number;
  follow: boolean;
}

export function addRunList(runs: Command, context: Context): void {
  runs
    .command('list')
    .description('list runs, the latest scheduled first, without those that are planned for later')
    .argument('[query...]', 'as in: state:failed task:nightly-* since:-24h error:ETIMEDOUT')
    .option('--task <name>', 'only those of one task')
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .option('--state <states>', 'only those in these states, separated by commas; `open`: not ended yet', readStates)
    .option('--key <key>', 'only those of one key')
    .option('--worker <name>', 'only those that belong to this worker, or that the one of this id has begun')
    .option('--origin <origins>', 'only those that came from there: schedule, trigger, rerun, ...', readOrigins)
    .option('--planned', 'also those that are planned for later', false)
    .option('--since <instant>', 'scheduled then or later: ISO 8601, or a span such as 2h')
    .option('--until <instant>', 'scheduled before then')
    .option('--limit <n>', 'at most this many, 1 to 10000', readCount('--limit', 1, 10_000), 50)
    .option('-f, --follow', 'go on with each run that begins or ends from now on, until Ctrl-C', false)
    .action((query: string[], options: ListOptions) => showRuns({ ...options, query: query.join(' ') }, context));
}

async function showRuns(options: ListOptions, context: Context): Promise<void> {
  const { output, clock } = context;
  const asked = askedRuns(options, context);
  const columns = columnsAt(clock.now());
  // Asked for before anything is said that invites a Ctrl-C.
  const signal = options.follow ? context.interruptible() : undefined;
  if (signal) return await followRuns({ asked, options, signal }, context);
  const { runs, back } = await withFleet(context, async (fleet) => {
    const found = await pagesOf(fleet, asked, options);
    if (found.runs.length === 0) await requireTask(fleet, asked);
    return found;
  });
  output.table(runs, runs, columns);
  if (runs.length === 0)
    output.note(`no run matches${hidesPlanned(options, asked) ? '; what is due later: --planned' : ''}`);
  else if (runs.length === options.limit) output.note(`only the first ${options.limit}; more: --limit, --until`);
  if (back)
    output.note(
      `runs by origin or error are looked for among the latest: nothing before ${inUtc(back)} was looked at; go on with --until ${inUtc(back)}`,
    );
}

/** So many are asked for at once. */
const PAGE = 1000;

async function pagesOf(
  fleet: Calls,
  { query }: AskedRuns,
  { limit, planned }: ListOptions,
): Promise<{ runs: SeenRun[]; back: Date | null }> {
  const asked = { query: writeRunQuery(query), planned: planned ? 'true' : 'false' } as const;
  const runs: SeenRun[] = [];
  for (let after: string | undefined; ; ) {
    const page = await fleet.call(listRuns, { query: { ...asked, after, limit: Math.min(PAGE, limit - runs.length) } });
    runs.push(...page.items);
    const { next, lookedBackTo: back } = page;
    if (next === null || back || runs.length >= limit) return { runs, back };
    after = next;
  }
}

/** Throws `unknown_task` where the one that was asked for is not there. */
async function requireTask(fleet: Calls, { task }: AskedRuns): Promise<void> {
  if (task !== undefined) await fleet.call(findTask, { query: { name: task } });
}

/** Each run that begins or ends from now on. */
async function followRuns(
  { asked, options, signal }: { asked: AskedRuns; options: ListOptions; signal: AbortSignal },
  context: Context,
): Promise<void> {
  await withFleet(context, async (fleet) => {
    const listed = async () => (await pagesOf(fleet, asked, options)).runs.toReversed();
    const changes = await changesOf(fleet, writeRunQuery(asked.query), listed);
    const entries = await listed();
    if (entries.length === 0) await requireTask(fleet, asked);
    await followList({ ...changes, listed: entries, print: printer(context), signal });
  });
}

/** Writes a run as a line. */
function printer({ output, clock }: Context): (run: SeenRun) => void {
  return (run) =>
    output.result(run, () => [
      columnsAt(clock.now())
        .map(({ value }) => value(run))
        .join('  ')
        .trimEnd(),
    ]);
}

interface AskedRuns {
  query: RunQuery;
  /** The only task that is named, without a `*`. */
  task: string | undefined;
}

function askedRuns(options: ListOptions, { clock }: Context): AskedRuns {
  const now = clock.now();
  const instant = (what: string, text: string) =>
    readInstant(text, { what, now, spans: 'ago', timeZone: systemZone() });
  const query = shown(options.query, () => parseRunQuery(options.query, { now, timeZone: systemZone() }));
  refuseTwice(query, options);
  const all: RunQuery = {
    ...query,
    ...(options.task === undefined ? {} : { tasks: [options.task] }),
    ...(options.label === undefined ? {} : { labels: options.label }),
    ...(options.state === undefined ? {} : { states: options.state }),
    ...(options.key === undefined ? {} : { key: options.key }),
    ...(options.worker === undefined ? {} : { worker: options.worker }),
    ...(options.origin === undefined ? {} : { origins: options.origin }),
    ...(options.since === undefined ? {} : { since: instant('--since', options.since) }),
    ...(options.until === undefined ? {} : { until: instant('--until', options.until) }),
  };
  const [only, another] = all.tasks ?? [];
  return { query: all, task: another === undefined && !only?.includes('*') ? only : undefined };
}

/** Throws what `read` does, with a mark under the place. */
function shown<Result>(text: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RunQueryError)) throw error;
    const { start, end } = error.at;
    const mark = `${' '.repeat(start)}${'^'.repeat(Math.max(1, end - start))}`;
    throw new EscapementError(error.code, `${error.message}\n  ${text}\n  ${mark}`, {
      ...(error.fix === undefined ? {} : { fix: error.fix }),
    });
  }
}

/** Throws `bad_query` where the query and an option say the same. */
function refuseTwice(query: RunQuery, options: ListOptions): void {
  const given: Readonly<Record<string, unknown>> = {
    ...query,
    task: query.tasks,
    label: query.labels,
    state: query.states,
    origin: query.origins,
  };
  const fields = ['task', 'label', 'state', 'key', 'worker', 'origin', 'since', 'until'] as const;
  const twice = fields.find((field) => given[field] !== undefined && options[field] !== undefined);
  if (twice !== undefined)
    throw new EscapementError('bad_query', `both ${twice}: and --${twice} are given`, { fix: 'give one of them' });
}

/** Whoever names states or an end means what they say. */
function hidesPlanned({ planned }: ListOptions, { query: { states, until } }: AskedRuns): boolean {
  return !planned && states === undefined && until === undefined;
}

function columnsAt(now: Date): readonly Column<SeenRun>[] {
  return [
    { title: 'SCHEDULED FOR', value: ({ scheduledFor }) => inUtc(scheduledFor) },
    { title: 'TASK', value: taskOf },
    { title: 'STATE', value: stateOf },
    { title: 'ORIGIN', value: ({ origin }) => origin, spare: 1 },
    { title: 'TRY', value: ({ attempt }) => (attempt === 0 ? '-' : String(attempt)), align: 'right', spare: 2 },
    { title: 'LATE', value: lateness, align: 'right', spare: 3 },
    { title: 'TOOK', value: duration, align: 'right', spare: 4 },
    { title: 'ID', value: ({ id }) => id, whole: true },
    { title: 'REASON', value: (run) => run.reason ?? waitNote(run, now), wraps: true, spare: 5 },
  ];
}

function taskOf({ taskName, ofWorker }: SeenRun): string {
  return ofWorker === null ? taskName : `${taskName} on ${ofWorker}`;
}

export function stateOf({ state, occurrences }: Pick<RunView, 'state' | 'occurrences'>): string {
  return occurrences > 1 ? `${state} x${occurrences}` : state;
}

/** Whom a waiting run waits for; empty: it does not. */
function waitNote({ state, waitingSince, blockedBy }: SeenRun, now: Date): string {
  if (state !== 'waiting' || !waitingSince) return '';
  return `waits for ${blockedBy === null ? 'a rate' : `run ${blockedBy}`} (${span(Math.max(0, now.getTime() - waitingSince.getTime()))})`;
}

/** Of a run between its attempts the due time is that of the next one: after the start, and no measure of it. */
export function lateness({ startedAt, dueAt, attempt }: Pick<RunView, 'startedAt' | 'dueAt' | 'attempt'>): string {
  return startedAt && attempt === 1 && startedAt >= dueAt ? span(startedAt.getTime() - dueAt.getTime()) : '-';
}

export function duration(run: Pick<RunView, 'startedAt' | 'finishedAt' | 'reason'>): string {
  const ms = tookMs(run);
  return ms === null ? '-' : span(ms);
}
