import { FAILED_STATES, SECOND } from '@escapement/core';
import { listPools, type PoolView } from '@escapement/operations';
import { type Database, type LiveProcess, listProcesses, listRuns, type RunView } from '@escapement/store';
import type { Command } from 'commander';
import { type Acting, type Context, configOf, fleetOf, withDatabase } from '../context.ts';
import { onDatabase, type SeenRun } from '../fleet.ts';
import { readCount } from '../options.ts';
import { type Column, tableLines } from '../output/table.ts';
import { counted, fromNow, inUtc } from '../output/wording.ts';
import { refresh } from './refresh.ts';
import { runningLines, runningNow, SHOWN } from './watch-runs.ts';

const REFRESH_SECONDS = 2;
const FAILURES = 5;

interface TopOptions {
  every: number;
  once: boolean;
}

/** What `top` shows. */
interface Fleet {
  at: Date;
  processes: readonly LiveProcess[];
  pools: readonly PoolView[];
  running: readonly SeenRun[];
  /** The latest that ended badly, or nobody knows how. */
  failures: readonly RunView[];
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
  const again = !once && output.width !== undefined && output.format === 'table';
  const signal = again ? context.interruptible() : AbortSignal.abort();
  await withDatabase(context, async (db, by) => {
    const look = async () => {
      const fleet = await readFleet(db, by, context);
      return () => output.result(fleet, () => linesOf(fleet, context));
    };
    await refresh({ look, everyMs: every * SECOND, signal, isOver: () => !again }, context);
  });
}

async function readFleet(db: Database, by: Acting, context: Context): Promise<Fleet> {
  const [processes, pools, running, failures] = await Promise.all([
    listProcesses(db, { withinMs: configOf(context).leaseMs }),
    listPools(db, fleetOf(context)),
    runningNow(onDatabase(db, by, context)),
    listRuns(db, { states: [...FAILED_STATES, 'unknown'], limit: FAILURES }),
  ]);
  return { at: context.clock.now(), processes, pools, running, failures };
}

function linesOf(fleet: Fleet, context: Context): string[] {
  const { at, processes, pools, running, failures } = fleet;
  const alive = (role: string) => processes.filter((each) => each.role === role).length;
  const present = (role: string, without: string) =>
    `${counted(alive(role), role)}${alive(role) === 0 ? `: ${without}` : ''}`;
  const heads = `${present('scheduler', 'nothing is planned')}, ${present('worker', 'nothing is run')}`;
  const more = running.length === SHOWN ? `, the latest ${SHOWN}` : '';
  return [
    `${inUtc(at)}  ${heads}`,
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

function failureColumns(at: Date): readonly Column<RunView>[] {
  return [
    { title: 'TASK', value: ({ taskName }) => taskName },
    { title: 'STATE', value: ({ state }) => state },
    { title: 'WHEN', value: ({ finishedAt, scheduledFor }) => fromNow(finishedAt ?? scheduledFor, at) },
    { title: 'ID', value: ({ id }) => id },
    { title: 'REASON', value: ({ reason }) => reason ?? '', wraps: true },
  ];
}
