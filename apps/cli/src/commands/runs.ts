import { type LabelSelector, type RunOrigin, type RunState, tookMs } from '@escapement/core';
import { labelsSeen, requireTask } from '@escapement/operations';
import { listRuns, lookedBackTo, type RunFilter, type RunView } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, fleetOf, withDatabase } from '../context.ts';
import { readInstant } from '../instant.ts';
import { LABEL_HELP, LABEL_OPTION, readCount, readOrigins, readSelector, readStates } from '../options.ts';
import type { Column } from '../output/table.ts';
import { inUtc, span, systemZone } from '../output/wording.ts';
import { changesOf, followList } from './follow-list.ts';

interface ListOptions {
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
    .action((options: ListOptions) => showRuns(options, context));
}

async function showRuns(options: ListOptions, context: Context): Promise<void> {
  const { output, clock } = context;
  const asked = filterOf(options, context);
  const columns = columnsAt(clock.now());
  // Asked for before anything is said that invites a Ctrl-C.
  const signal = options.follow ? context.interruptible() : undefined;
  await withDatabase(context, async (db, by) => {
    const labels = options.task === undefined ? labelsSeen(db, by(), options.label) : options.label;
    const filter = labels ? { ...asked, labels } : asked;
    const listed = () => withoutPlanned(filter, options, context);
    const changes = signal && (await changesOf(db, { listed, filter, ...fleetOf(context) }));
    const runs = await listRuns(db, listed());
    if (runs.length === 0 && options.task !== undefined) await requireTask(db, options.task);
    if (signal && changes)
      return await followList({ ...changes, told: [...runs].reverse(), tell: teller(context), signal });
    output.table(runs, runs, columns);
    if (runs.length === 0)
      output.note(`no run matches${hidesPlanned(options) ? '; what is due later: --planned' : ''}`);
    else if (runs.length === options.limit) output.note(`only the first ${options.limit}; more: --limit, --until`);
    const back = runs.length < options.limit ? await lookedBackTo(db, listed()) : null;
    if (back)
      output.note(
        `runs by origin are looked for among the latest: nothing before ${inUtc(back)} was looked at; go on with --until ${inUtc(back)}`,
      );
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

function filterOf(options: ListOptions, { clock }: Context): RunFilter {
  const now = clock.now();
  const instant = (what: string, text: string) =>
    readInstant(text, { what, now, spans: 'ago', timeZone: systemZone() });
  return {
    limit: options.limit,
    ...(options.task === undefined ? {} : { taskName: options.task }),
    ...(options.state === undefined ? {} : { states: options.state }),
    ...(options.key === undefined ? {} : { key: options.key }),
    ...(options.worker === undefined ? {} : { worker: options.worker }),
    ...(options.origin === undefined ? {} : { origins: options.origin }),
    ...(options.since === undefined ? {} : { since: instant('--since', options.since) }),
    ...(options.until === undefined ? {} : { until: instant('--until', options.until) }),
  };
}

/** Whoever names states or an end means what they say. */
function hidesPlanned({ planned, until, state }: ListOptions): boolean {
  return !planned && until === undefined && state === undefined;
}

function withoutPlanned(filter: RunFilter, options: ListOptions, { clock }: Context): RunFilter {
  return hidesPlanned(options) ? { ...filter, until: new Date(clock.now().getTime() + 1) } : filter;
}

function columnsAt(now: Date): readonly Column<RunView>[] {
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

function taskOf({ taskName, ofWorker }: RunView): string {
  return ofWorker === null ? taskName : `${taskName} on ${ofWorker}`;
}

export function stateOf({ state, occurrences }: RunView): string {
  return occurrences > 1 ? `${state} x${occurrences}` : state;
}

/** Whom a waiting run waits for; empty: it does not. */
function waitNote({ state, waitingSince, blockedBy }: RunView, now: Date): string {
  if (state !== 'waiting' || !waitingSince) return '';
  return `waits for ${blockedBy === null ? 'a rate' : `run ${blockedBy}`} (${span(Math.max(0, now.getTime() - waitingSince.getTime()))})`;
}

/** Of a run between its attempts the due time is that of the next one: after the start, and no measure of it. */
export function lateness({ startedAt, dueAt, attempt }: Pick<RunView, 'startedAt' | 'dueAt' | 'attempt'>): string {
  return startedAt && attempt === 1 && startedAt >= dueAt ? span(startedAt.getTime() - dueAt.getTime()) : '-';
}

export function duration(run: RunView): string {
  const ms = tookMs(run);
  return ms === null ? '-' : span(ms);
}
