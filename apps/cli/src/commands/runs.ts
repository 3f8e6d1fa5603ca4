import { type LabelSelector, type RunState, tookMs } from '@escapement/core';
import { requireTask } from '@escapement/operations';
import { listRuns, type RunView } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { readInstant } from '../instant.ts';
import { LABEL_HELP, LABEL_OPTION, readCount, readSelector, readStates } from '../options.ts';
import { inUtc, span, systemZone } from '../output/wording.ts';

interface ListOptions {
  task?: string;
  label?: LabelSelector;
  state?: RunState[];
  since?: string;
  until?: string;
  limit: number;
}

export function addRuns(program: Command, context: Context): Command {
  const runs = program.command('runs').description('look into the ledger; cancel, retry and resolve runs');
  runs
    .command('list')
    .description('list runs, the latest scheduled first')
    .option('--task <name>', 'only those of one task')
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .option('--state <states>', 'only those in these states, separated by commas; `open`: not ended yet', readStates)
    .option('--since <instant>', 'scheduled then or later: ISO 8601, or a span such as 2h')
    .option('--until <instant>', 'scheduled before then')
    .option('--limit <n>', 'at most this many, 1 to 10000', readCount('--limit', 1, 10_000), 50)
    .action((options: ListOptions) => showRuns(options, context));
  return runs;
}

async function showRuns(options: ListOptions, context: Context): Promise<void> {
  const { output, clock } = context;
  const now = clock.now();
  const instant = (what: string, text: string) =>
    readInstant(text, { what, now, spans: 'ago', timeZone: systemZone() });
  const filter = {
    limit: options.limit,
    ...(options.task === undefined ? {} : { taskName: options.task }),
    ...(options.label === undefined ? {} : { labels: options.label }),
    ...(options.state === undefined ? {} : { states: options.state }),
    ...(options.since === undefined ? {} : { since: instant('--since', options.since) }),
    ...(options.until === undefined ? {} : { until: instant('--until', options.until) }),
  };
  const runs = await withDatabase(context, async (db) => {
    const found = await listRuns(db, filter);
    if (found.length === 0 && options.task !== undefined) await requireTask(db, options.task);
    return found;
  });
  output.table(runs, runs, [
    { title: 'SCHEDULED FOR', value: ({ scheduledFor }) => inUtc(scheduledFor) },
    { title: 'TASK', value: ({ taskName }) => taskName },
    { title: 'STATE', value: stateOf },
    { title: 'ORIGIN', value: ({ origin }) => origin },
    { title: 'TRY', value: ({ attempt }) => (attempt === 0 ? '-' : String(attempt)), align: 'right' },
    { title: 'LATE', value: lateness, align: 'right' },
    { title: 'TOOK', value: duration, align: 'right' },
    { title: 'ID', value: ({ id }) => id },
    { title: 'REASON', value: (run) => run.reason ?? waitNote(run, now), wraps: true },
  ]);
  if (runs.length === 0) output.note('no run matches');
  else if (runs.length === options.limit) output.note(`only the first ${options.limit}; more: --limit, --until`);
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
