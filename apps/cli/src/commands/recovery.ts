import { listHeldTasks } from '@escapement/api/routes';
import { EscapementError, HOUR, MINUTE, SECOND } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { repeats } from '../once.ts';
import { LABEL_HELP, LABEL_OPTION, readSelector } from '../options.ts';
import { fromNow, inUtc } from '../output/wording.ts';
import { bulk, DRY_RUN, YES } from './bulk.ts';
import { type DueTime, dueAt } from './due-time.ts';

interface RecoveryOptions extends Pick<DueTime, 'at'> {
  task?: string;
  label?: LabelSelector;
  latestOnly: boolean;
  /** Milliseconds between two runs. */
  rate?: number;
  /** Names of tasks. */
  order?: string[];
  reason?: string;
  dryRun: boolean;
  yes: boolean;
}

/** `recovery list`, `run` and `drop`: what tasks with `catchUp: ask` have to catch up after an outage. */
export function addRecovery(program: Command, context: Context): void {
  const recovery = program
    .command('recovery')
    .description('runs that are held after an outage until somebody decides about them');
  recovery
    .command('list')
    .description('tasks with held runs, the oldest first')
    .option('--task <name>', 'only those of one task')
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .action((options: RecoveryOptions) => list(options, context));
  recovery
    .command('run')
    .description('start held runs, by priority, then in order of their occurrence; within a key one after the other')
    .option('--task <name>', 'only those of one task')
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .option('--latest-only', 'start only the newest run of each task; the older ones end as missed', false)
    .option('--rate <n>', 'at most this many a minute; or 5/s, 10/m, 100/h. Default: all at once', readRate)
    .option(
      '--order <tasks>',
      'these tasks first, one after the other, separated by commas; then the others by priority',
      readOrder,
    )
    .option('--at <instant>', 'start the first then: ISO 8601, or a span such as 2h. Default: at once')
    .option('--reason <text>', 'why')
    .option(...DRY_RUN)
    .option(...YES)
    .action((options: RecoveryOptions) => run(options, context));
  recovery
    .command('drop')
    .description('end held runs as missed; each row gets your name and the reason')
    .option('--task <name>', 'only those of one task')
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .option('--latest-only', 'end only the newest run of each task', false)
    .option('--reason <text>', 'why')
    .option(...DRY_RUN)
    .option(...YES)
    .action((options: RecoveryOptions) => drop(options, context));
}

/** Tasks in an order. */
const MOST_ORDERED = 1000;
const UNITS: Record<string, number> = { s: SECOND, m: MINUTE, h: HOUR };

/** Milliseconds between two runs at a rate such as `10`, `10/m`, `5/s`. Throws `bad_rate`. */
function readRate(text: string): number {
  const [, count = '', unit = 'm'] = /^(\d+(?:\.\d+)?)(?:\/([smh]))?$/.exec(text) ?? [];
  const rate = Number(count);
  if (rate > 0) return (UNITS[unit] ?? MINUTE) / rate;
  throw new EscapementError('bad_rate', `--rate is "${text}"`, {
    fix: 'give how many runs a minute may start, such as 10; or 5/s, 10/m, 100/h',
  });
}

/** Names of tasks separated by commas; of an option that may be repeated. What they are is judged where they are looked up. Throws `bad_text`. */
const readOrder = repeats((text: string, before: readonly string[] = []): string[] => {
  const names = [...before, ...text.split(',').map((each) => each.trim())];
  const wrong = names.find((name, index) => name === '' || names.indexOf(name) !== index);
  if (wrong !== undefined)
    throw new EscapementError('bad_text', wrong === '' ? '--order has an empty name' : `--order has ${wrong} twice`, {
      fix: 'give each task once, with commas between: close-books,send-invoices',
    });
  if (names.length <= MOST_ORDERED) return names;
  throw new EscapementError('bad_text', `--order has ${names.length} tasks`, { fix: `at most ${MOST_ORDERED}` });
});

async function list({ task, label }: RecoveryOptions, context: Context): Promise<void> {
  const { output, clock } = context;
  const { items: tasks } = await withFleet(context, (fleet) =>
    fleet.call(listHeldTasks, { query: { task, label: label?.text } }),
  );
  const now = clock.now();
  output.table(tasks, tasks, [
    { title: 'TASK', value: (each) => each.task },
    { title: 'HELD', value: ({ held }) => String(held), align: 'right' },
    { title: 'OLDEST', value: ({ firstAt }) => `${inUtc(firstAt)} (${fromNow(firstAt, now)})` },
    { title: 'NEWEST', value: ({ lastAt }) => `${inUtc(lastAt)} (${fromNow(lastAt, now)})` },
  ]);
  if (tasks.length === 0) output.note('nothing is held');
}

async function run(options: RecoveryOptions, context: Context): Promise<void> {
  const { task, label: labels, latestOnly, rate: spacingMs, order, reason, dryRun, yes } = options;
  const words = { done: 'released', dryRun, yes, reason };
  const fromAt = dueAt(options, context);
  await bulk({ action: 'run_held', task, labels, latestOnly, spacingMs, fromAt, order }, words, context);
}

async function drop(options: RecoveryOptions, context: Context): Promise<void> {
  const { task, label: labels, latestOnly, reason, dryRun, yes } = options;
  await bulk({ action: 'drop_held', task, labels, latestOnly }, { done: 'dropped', dryRun, yes, reason }, context);
}
