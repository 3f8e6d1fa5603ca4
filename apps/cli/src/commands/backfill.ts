import type { AnswerOf } from '@escapement/api/calls';
import { listBackfills, previewBackfill, resumeBackfill, startBackfill, stopBackfill } from '@escapement/api/routes';
import { FAILED_STATES, type Reprocess, readInstant } from '@escapement/core';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { readCount } from '../options.ts';
import { counted, inUtc, systemZone } from '../output/wording.ts';

interface BackfillOptions {
  from: string;
  to?: string;
  reprocess: Reprocess;
  concurrency: number;
  reverse: boolean;
  dryRun: boolean;
}

const MAX_CONCURRENCY = 1000;
const LISTED = 50;

export function addBackfill(program: Command, context: Context): void {
  const backfill = program.command('backfill').description('run the occurrences of a past time range');
  backfill
    .command('start', { isDefault: true })
    .description('run the occurrences of a task in a time range; `backfill NAME ...` does the same')
    .argument('<name>', 'name of the task')
    .requiredOption('--from <instant>', 'the first instant: ISO 8601, or a span such as 7d')
    .option('--to <instant>', 'the last instant; default: now')
    .addOption(
      new Option('--reprocess <which>', 'which occurrences that ran already are run again')
        .choices(['none', 'failed', 'all'])
        .default('none'),
    )
    .option('--concurrency <n>', 'runs of it open at once', readCount('--concurrency', 1, MAX_CONCURRENCY), 1)
    .option('--reverse', 'the newest occurrence first', false)
    .option('--dry-run', 'say what would be run, and do nothing', false)
    .action((name: string, options: BackfillOptions) => start(name, options, context));
  backfill
    .command('list')
    .description('list backfills and their progress')
    .action(() => showList(context));
  backfill
    .command('stop')
    .description('make no more runs, and cancel those that have not started')
    .argument('<id>', 'id of the backfill, or its beginning')
    .action((id: string) => stop(id, context));
  backfill
    .command('resume')
    .description('continue a backfill that was stopped')
    .argument('<id>', 'id of the backfill, or its beginning')
    .action((id: string) => resume(id, context));
}

async function start(name: string, options: BackfillOptions, context: Context): Promise<void> {
  const { output } = context;
  const shared = { now: context.clock.now(), spans: 'ago', timeZone: systemZone() } as const;
  const body = {
    task: name,
    fromAt: readInstant(options.from, { what: '--from', ...shared }).toISOString(),
    toAt: options.to && readInstant(options.to, { what: '--to', ...shared }).toISOString(),
    reprocess: options.reprocess,
    concurrency: options.concurrency,
    reverse: options.reverse,
  };
  await withFleet(context, async (fleet) => {
    const preview = await fleet.call(previewBackfill, { body });
    const { run, rerun, keep, first } = preview;
    const plan = `${counted(run, 'occurrence')} in no row, ${rerun} to be run again, ${keep} left as they are`;
    if (options.dryRun) {
      const rest = run + rerun - first.length;
      output.result({ task: name, ...preview }, () => [
        plan,
        ...first.map((at) => `  ${inUtc(at)}`),
        ...(rest > 0 ? [`  and ${rest} more`] : []),
      ]);
      return;
    }
    const { id } = await fleet.call(startBackfill, { body });
    output.result({ id, task: name, ...preview }, () => [id]);
    output.note(`${plan}; see \`escapement backfill list\``);
  });
}

async function showList(context: Context): Promise<void> {
  const { output } = context;
  const query = { limit: LISTED };
  const { items: backfills } = await withFleet(context, (fleet) => fleet.call(listBackfills, { query }));
  output.table(backfills, backfills, [
    { title: 'ID', value: ({ id }) => id, whole: true },
    { title: 'TASK', value: ({ taskName }) => taskName },
    { title: 'FROM', value: ({ fromAt }) => inUtc(fromAt) },
    { title: 'TO', value: ({ toAt }) => inUtc(toAt) },
    { title: 'STATE', value: ({ state }) => state },
    { title: 'AT', value: ({ cursorAt }) => (cursorAt ? inUtc(cursorAt) : '-') },
    { title: 'RUNS', value: ({ made }) => String(made), align: 'right' },
    { title: 'SUCCEEDED', value: ({ progress }) => String(progress.succeeded ?? 0), align: 'right' },
    { title: 'FAILED', value: ({ progress }) => String(failedOf(progress)), align: 'right' },
    { title: 'KEPT', value: ({ kept }) => String(kept), align: 'right' },
    { title: 'NOTE', value: ({ error }) => error ?? '', wraps: true },
  ]);
  if (backfills.length === 0) output.note('there are no backfills');
}

type Progress = AnswerOf<typeof listBackfills>['items'][number]['progress'];

function failedOf(progress: Progress): number {
  return FAILED_STATES.reduce((sum, state) => sum + (progress[state] ?? 0), 0);
}

async function stop(text: string, context: Context): Promise<void> {
  const asked = { params: { id: text }, body: {} };
  const { id, taskName, cancelled } = await withFleet(context, (fleet) => fleet.call(stopBackfill, asked));
  context.output.result({ id, task: taskName, cancelled }, () => [
    `backfill ${id} of ${taskName} is stopped; ${counted(cancelled, 'run')} cancelled, what runs goes on`,
  ]);
}

async function resume(text: string, context: Context): Promise<void> {
  const asked = { params: { id: text }, body: {} };
  const { id, taskName } = await withFleet(context, (fleet) => fleet.call(resumeBackfill, asked));
  context.output.result({ id, task: taskName }, () => [`backfill ${id} of ${taskName} goes on`]);
}
