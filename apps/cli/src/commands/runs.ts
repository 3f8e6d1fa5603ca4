import { findTask, listRuns } from '@escapement/api/routes';
import {
  type By,
  EscapementError,
  type LabelSelector,
  parseRunQuery,
  type RunOrigin,
  type RunQuery,
  RunQueryError,
  type RunState,
  readInstant,
  tookMs,
  writeRunQuery,
} from '@escapement/core';
import { labelsSeen, requireTask, seesPayloads } from '@escapement/operations';
import { type Database, listRuns as listedRuns, type RunFilter, type RunView } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, fleetOf, withDatabase } from '../context.ts';
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
  const asked = filterOf(options, context);
  const columns = columnsAt(clock.now());
  // Asked for before anything is said that invites a Ctrl-C.
  const signal = options.follow ? context.interruptible() : undefined;
  if (signal) return await follow({ asked, options, signal }, context);
  const { runs, back } = await withFleet(context, async (fleet) => {
    const found = await pagesOf(fleet, asked, options);
    if (found.runs.length === 0 && asked.taskName !== undefined)
      await fleet.call(findTask, { query: { name: asked.taskName } });
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

/** Each run that begins or ends from now on, as the database tells it. */
async function follow(
  { asked, options, signal }: { asked: AskedRuns; options: ListOptions; signal: AbortSignal },
  context: Context,
): Promise<void> {
  await withDatabase(context, async (db, by) => {
    const filter = seenBy(db, by(), { asked, isOfTask: options.task !== undefined });
    const listed = () => withoutPlanned(filter, options, context);
    const changes = await changesOf(db, { listed, filter, ...fleetOf(context) });
    const runs = await listedRuns(db, listed());
    // Who may not see all is not told which names there are.
    if (runs.length === 0 && asked.taskName !== undefined && (options.task !== undefined || !filter.labels))
      await requireTask(db, asked.taskName);
    await followList({ ...changes, told: [...runs].reverse(), tell: teller(context), signal });
  });
}

/** Writes a run as a line. */
function teller({ output, clock }: Context): (run: RunView) => void {
  return (run) =>
    output.result(run, () => [
      columnsAt(clock.now())
        .map(({ value }) => value(run))
        .join('  ')
        .trimEnd(),
    ]);
}

/** What is asked for; its labels are still to be cut to what somebody may see. */
interface AskedRuns extends Omit<RunFilter, 'labels'> {
  label?: LabelSelector;
  /** All of it but the limit. */
  query: RunQuery;
}

function filterOf(options: ListOptions, { clock }: Context): AskedRuns {
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
  const { tasks, labels, ...asked } = all;
  return { ...asked, ...tasksOf(tasks), ...(labels ? { label: labels } : {}), limit: options.limit, query: all };
}

/** What somebody may see of it: of a task that is named as such they may see all. */
function seenBy(
  db: Database,
  by: By,
  { asked: { label, query: _, ...asked }, isOfTask }: { asked: AskedRuns; isOfTask: boolean },
): RunFilter {
  const labels = isOfTask ? label : labelsSeen(db, by, label);
  return { ...asked, reasonsOnly: !seesPayloads(by, db.namespace), ...(labels ? { labels } : {}) };
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

/** A name without a `*` has an index of its own. */
function tasksOf(tasks: readonly string[] | undefined): Pick<RunFilter, 'taskName' | 'tasksLike'> {
  const [only, another] = tasks ?? [];
  if (tasks === undefined || only === undefined) return {};
  return another === undefined && !only.includes('*') ? { taskName: only } : { tasksLike: tasks };
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
function hidesPlanned({ planned, until, state }: ListOptions, { states, until: asked }: RunFilter): boolean {
  return !planned && until === undefined && state === undefined && states === undefined && asked === undefined;
}

function withoutPlanned(filter: RunFilter, options: ListOptions, { clock }: Context): RunFilter {
  return hidesPlanned(options, filter) ? { ...filter, until: new Date(clock.now().getTime() + 1) } : filter;
}

function columnsAt(now: Date): readonly Column<SeenRun>[] {
  return [
    { title: 'SCHEDULED FOR', value: ({ scheduledFor }) => inUtc(scheduledFor) },
    { title: 'TASK', value: taskOf },
    { title: 'STATE', value: stateOf },
    { title: 'ORIGIN', value: ({ origin }) => origin },
    { title: 'TRY', value: ({ attempt }) => (attempt === 0 ? '-' : String(attempt)), align: 'right' },
    { title: 'LATE', value: lateness, align: 'right' },
    { title: 'TOOK', value: duration, align: 'right' },
    { title: 'ID', value: ({ id }) => id },
    { title: 'REASON', value: (run) => run.reason ?? waitNote(run, now), wraps: true },
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
