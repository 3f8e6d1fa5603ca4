import type { AnswerOf } from '@escapement/api/calls';
import { listTaskStats } from '@escapement/api/routes';
import { readInstant } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { LABEL_HELP, LABEL_OPTION, readSelector } from '../options.ts';
import { inUtc, span, systemZone } from '../output/wording.ts';

type TaskStats = AnswerOf<typeof listTaskStats>['tasks'][number];

export function addTaskStats(tasks: Command, context: Context): void {
  tasks
    .command('stats')
    .description('runs, failures, durations and the last error, of one task or of all')
    .argument('[name]', 'name of the task')
    .option('--since <instant>', 'count runs scheduled then or later: ISO 8601, or a span such as 24h', '7d')
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .action((name: string | undefined, options: StatsOptions) => showStats(name, options, context));
}

interface StatsOptions {
  since: string;
  label?: LabelSelector;
}

async function showStats(
  name: string | undefined,
  { label, ...options }: StatsOptions,
  context: Context,
): Promise<void> {
  const { output, clock } = context;
  const now = clock.now();
  const since = readInstant(options.since, { what: '--since', now, spans: 'ago', timeZone: systemZone() });
  const { tasks: stats } = await withFleet(context, (fleet) =>
    fleet.call(listTaskStats, { query: { name, label: label?.text, since: since.toISOString() } }),
  );
  output.table({ since, tasks: stats }, stats, [
    { title: 'TASK', value: (task) => task.name },
    { title: 'COUNT', value: (task) => String(task.count), align: 'right' },
    { title: 'SUCCEEDED', value: (task) => String(task.succeeded), align: 'right' },
    { title: 'FAILED', value: (task) => String(task.failed), align: 'right' },
    { title: 'NOT RUN', value: (task) => String(task.notRun), align: 'right' },
    { title: 'OPEN', value: (task) => String(task.open), align: 'right' },
    { title: 'P50', value: (task) => tookOf(task.p50Ms), align: 'right' },
    { title: 'P95', value: (task) => tookOf(task.p95Ms), align: 'right' },
    { title: 'LAST ERROR', value: lastError, wraps: true },
  ]);
  output.note(`since ${inUtc(since)}; NOT RUN counts skipped, missed, superseded and cancelled`);
}

function tookOf(ms: number | null): string {
  return ms === null ? '-' : span(ms);
}

function lastError({ lastError: last }: TaskStats): string {
  if (!last) return '-';
  return `${inUtc(last.at)} ${last.state}: ${last.reason ?? last.error?.message ?? 'no reason given'}`;
}
