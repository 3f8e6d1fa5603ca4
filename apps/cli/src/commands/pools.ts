import type { AnswerOf } from '@escapement/api/calls';
import { getPool, listPools, pausePool, resumePool, setPool } from '@escapement/api/routes';
import { briefly, EscapementError, type Need, needsCode, splitNeed } from '@escapement/core';
import { type PoolRate, poolPauseWords } from '@escapement/operations';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { readCount, readNote } from '../options.ts';
import { rateUseWords } from '../output/rate.ts';
import { type Column, tableLines } from '../output/table.ts';
import { inUtc } from '../output/wording.ts';
import { readRate } from '../rate.ts';
import { pauseEnd } from './pause-end.ts';

/** `pools list`, `show`, `set`, `pause` and `resume`. */
export function addPools(program: Command, context: Context): void {
  const pools = program
    .command('pools')
    .description('pools of workers: who serves them, what waits; pause and set them');
  pools
    .command('list')
    .description('all pools, with their workers and runs')
    .action(() => list(context));
  pools
    .command('show')
    .description('everything about a pool')
    .argument('<name>', 'name of the pool')
    .action((name: string) => show(name, context));
  pools
    .command('set')
    .description('write down what is expected of a pool')
    .argument('<name>', 'name of the pool; there need not be a task or a worker of it yet')
    .option(
      '--expected-workers <n>',
      'how many should be alive, or none: doctor says when there are fewer',
      readExpected,
    )
    .addOption(
      new Option('--priorities <on|off>', 'whether the priorities of tasks count among its runs').choices([
        'on',
        'off',
      ]),
    )
    .option(
      '--rate <limit/span>',
      'how many of its runs may start within a time, such as 100/1s or 500/10m, or none',
      (text) => (text === 'none' ? text : readRate(text)),
    )
    .action((name: string, options: SetOptions) => set(name, options, context));
  pools
    .command('pause')
    .description('no run of the pool begins until it is resumed; what is under way goes on')
    .argument('<name>', 'name of the pool')
    .option('--until <instant>', 'resume by itself then: ISO 8601, or a span such as 2h; default: until resumed')
    .option('--reason <text>', 'why; shown with every run that waits', readNote('--reason'))
    .action((name: string, options: PauseOptions) => pause(name, options, context));
  pools
    .command('resume')
    .description('end the pause of a pool')
    .argument('<name>', 'name of the pool')
    .action((name: string) => resume(name, context));
}

type Pool = AnswerOf<typeof getPool>;
type PoolQueue = Pool['queues'][number];

interface SetOptions {
  expectedWorkers?: number | 'none';
  priorities?: 'on' | 'off';
  rate?: PoolRate | 'none';
}

interface PauseOptions {
  until?: string;
  reason?: string;
}

const MOST_WORKERS = 100_000;

/** Commander takes null for nothing. */
function readExpected(text: string): number | 'none' {
  return text === 'none' ? text : readCount('--expected-workers', 0, MOST_WORKERS)(text);
}

async function list(context: Context): Promise<void> {
  const { output } = context;
  const { items: pools } = await withFleet(context, (fleet) => fleet.call(listPools, {}));
  output.table(pools, pools, [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'WORKERS', value: workersOf, align: 'right' },
    { title: 'TASKS', value: ({ tasks }) => String(tasks), align: 'right' },
    { title: 'WAITING', value: ({ waiting }) => String(waiting), align: 'right' },
    { title: 'RUNNING', value: ({ running }) => String(running), align: 'right' },
    { title: 'STATE', value: stateOf, wraps: true },
  ]);
  if (pools.length === 0) output.note('there are no pools: no task names one, and no worker serves one');
}

async function show(name: string, context: Context): Promise<void> {
  const pool = await withFleet(context, (fleet) => fleet.call(getPool, { params: { name } }));
  context.output.result(pool, () => [
    ...factsOf(pool).map(([title, value]) => `${`${title}:`.padEnd(14)} ${value}`),
    '',
    ...tableLines(pool.queues, QUEUES, context.output.width),
  ]);
}

const QUEUES: Column<PoolQueue>[] = [
  { title: 'NEEDS', value: needOf },
  { title: 'ABLE WORKERS', value: ({ workers }) => String(workers), align: 'right' },
  { title: 'TASKS', value: ({ tasks }) => String(tasks), align: 'right' },
  { title: 'WAITING', value: ({ waiting }) => String(waiting), align: 'right' },
  { title: 'RUNNING', value: ({ running }) => String(running), align: 'right' },
];

/** What the runs of a queue need, in words. */
function needOf({ need, app }: PoolQueue): string {
  const { ability, worker } = splitNeed(need);
  return `${abilityOf(ability, app)}${worker === null ? '' : `, on worker ${worker}`}`;
}

function abilityOf(ability: Need, app: string | null): string {
  if (ability === null) return 'nothing';
  if (!needsCode(ability)) return 'the shell';
  return app === null ? 'code of no known application' : `code of ${app}`;
}

function factsOf(pool: Pool): [string, string][] {
  return [
    ['name', pool.name],
    ['state', stateOf(pool)],
    ['workers', workersOf(pool) + (pool.workers.length > 0 ? `: ${briefly(pool.workers)}` : '')],
    ['tasks', String(pool.tasks)],
    ['waiting', waitingOf(pool)],
    ['running', String(pool.running)],
    ['rate', pool.rate ? rateUseWords(pool.rate) : 'none: as many as can start'],
    ['priorities', pool.priorities ? 'count, as soon as a task of it has one' : 'do not count'],
    ['written down', pool.updatedAt ? inUtc(pool.updatedAt) : 'nobody has said anything about it'],
  ];
}

function waitingOf({ waiting, oldestDueAt }: Pool): string {
  return `${waiting} due and not begun${oldestDueAt ? `, one since ${inUtc(oldestDueAt)}` : ''}`;
}

/** Those alive, and how many there should be. */
function workersOf({ workers, expectedWorkers }: Pool): string {
  return expectedWorkers === null ? String(workers.length) : `${workers.length}/${expectedWorkers}`;
}

function stateOf({ pause: now }: Pool): string {
  return now ? poolPauseWords(now) : 'active';
}

async function set(name: string, { expectedWorkers, priorities, rate }: SetOptions, context: Context): Promise<void> {
  const settings = {
    expectedWorkers: expectedWorkers === 'none' ? null : expectedWorkers,
    priorities: priorities === undefined ? undefined : priorities === 'on',
    rate: rate === 'none' ? null : rate,
  };
  if (Object.values(settings).every((each) => each === undefined))
    throw new EscapementError('nothing_to_set', `nothing is said about the pool "${name}"`, {
      fix: 'give --expected-workers, --priorities or --rate',
    });
  const pool = await withFleet(context, (fleet) => fleet.call(setPool, { params: { name }, body: settings }));
  context.output.result(pool, () => [`the pool "${name}" is set`]);
}

async function pause(name: string, options: PauseOptions, context: Context): Promise<void> {
  const { reason } = options;
  const untilAt = pauseEnd(options, context);
  const body = { untilAt: untilAt?.toISOString(), reason };
  await withFleet(context, (fleet) => fleet.call(pausePool, { params: { name }, body }));
  context.output.result({ name, paused: true, untilAt, reason: reason ?? null }, () => [
    `the pool "${name}" is paused ${untilAt ? `until ${inUtc(untilAt)}` : 'until resumed'}`,
  ]);
}

async function resume(name: string, context: Context): Promise<void> {
  const { resumed: ended } = await withFleet(context, (fleet) =>
    fleet.call(resumePool, { params: { name }, body: {} }),
  );
  context.output.result({ name, paused: false, ended }, () => [
    ended ? `the pool "${name}" is active again` : `the pool "${name}" was not paused`,
  ]);
}
