import type { AnswerOf } from '@escapement/api/calls';
import { listPools, listRuns, listSchedulers, listWorkers } from '@escapement/api/routes';
import { FAILED_STATES, SECOND } from '@escapement/core';
import { writeRunQuery } from '@escapement/core/run-query';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type Calls, type SeenRun, withFleet } from '../fleet.ts';
import { readCount } from '../options.ts';
import { type Column, tableLines, wrap } from '../output/table.ts';
import { counted, fromNow, inUtc } from '../output/wording.ts';
import { refresh } from './refresh.ts';
import { runningLines, runningNow, SHOWN } from './watch-runs.ts';

const REFRESH_SECONDS = 2;
const FAILURES = 5;

interface TopOptions {
  every: number;
  once: boolean;
}

type Items<Route> = AnswerOf<Route> extends { items: infer All } ? All : never;
type PoolView = Items<typeof listPools>[number];

/** What `top` shows. */
interface Fleet {
  at: Date;
  schedulers: Items<typeof listSchedulers>;
  workers: Items<typeof listWorkers>;
  pools: PoolView[];
  running: SeenRun[];
  /** The latest that ended badly, or nobody knows how. */
  failures: SeenRun[];
}

export function addTop(program: Command, context: Context): void {
  program
    .command('top')
    .description('the fleet at a glance: processes, pools, what is running, what failed last; until Ctrl-C')
    .option('--every <seconds>', 'how often it looks', readCount('--every', 1, 3600), REFRESH_SECONDS)
    .option('--once', 'look once; so it does without a terminal, and with -o json', false)
    .action((options: TopOptions) => top(options, context));
}

async function top({ every, once }: TopOptions, context: Context): Promise<void> {
  const { output } = context;
  const again = !once && output.isTerminal && output.format === 'table';
  const signal = again ? context.interruptible() : AbortSignal.abort();
  await withFleet(context, async (calls) => {
    const look = async () => {
      const fleet = await readFleet(calls, context);
      return () => output.result(fleet, () => linesOf(fleet, context));
    };
    await refresh({ look, everyMs: every * SECOND, signal, isOver: () => !again }, context);
  });
}

const FAILURES_LAST = writeRunQuery({ states: [...FAILED_STATES, 'unknown'] });

async function readFleet(calls: Calls, { clock }: Context): Promise<Fleet> {
  const [schedulers, workers, pools, running, failures] = await Promise.all([
    calls.call(listSchedulers, {}),
    calls.call(listWorkers, {}),
    calls.call(listPools, {}),
    runningNow(calls),
    calls.call(listRuns, { query: { query: FAILURES_LAST, limit: FAILURES } }),
  ]);
  return {
    ...{ at: clock.now(), schedulers: schedulers.items, workers: workers.items, pools: pools.items },
    ...{ running, failures: failures.items },
  };
}

function linesOf(fleet: Fleet, context: Context): string[] {
  const { at, schedulers, workers, pools, running, failures } = fleet;
  const present = (of: readonly unknown[], role: string, without: string) =>
    `${counted(of.length, role)}${of.length === 0 ? `: ${without}` : ''}`;
  const heads = `${present(schedulers, 'scheduler', 'nothing is planned')}, ${present(workers, 'worker', 'nothing is run')}`;
  const more = running.length === SHOWN ? `, the latest ${SHOWN}` : '';
  return [
    ...wrap(`${inUtc(at)}  ${heads}`, context.output.width ?? Number.POSITIVE_INFINITY),
    '',
    ...tableLines(pools, POOL_COLUMNS, context.output.width),
    '',
    `running${more}:`,
    ...runningLines(running, context),
    '',
    'failed last:',
    ...(failures.length === 0 ? ['none'] : tableLines(failures, failureColumns(at), context.output.width)),
  ];
}

const POOL_COLUMNS: readonly Column<PoolView>[] = [
  { title: 'POOL', value: ({ name }) => name },
  { title: 'WORKERS', value: ({ workers }) => String(workers.length), align: 'right' },
  { title: 'TASKS', value: ({ tasks }) => String(tasks), align: 'right' },
  { title: 'DUE', value: ({ waiting }) => String(waiting), align: 'right' },
  { title: 'RUNNING', value: ({ running }) => String(running), align: 'right' },
  { title: 'PAUSED', value: ({ pause }) => (pause === null ? '' : (pause.note ?? 'yes')) },
];

function failureColumns(at: Date): readonly Column<SeenRun>[] {
  return [
    { title: 'TASK', value: ({ taskName }) => taskName },
    { title: 'STATE', value: ({ state }) => state },
    { title: 'WHEN', value: ({ finishedAt, scheduledFor }) => fromNow(finishedAt ?? scheduledFor, at) },
    { title: 'ID', value: ({ id }) => id, whole: true },
    { title: 'REASON', value: ({ reason }) => reason ?? '', wraps: true },
  ];
}
