import { setTimeout as sleep } from 'node:timers/promises';
import { EscapementError, SECOND } from '@escapement/core';
import { drainWorker, listWorkers, requireWorker, resumeWorker, type WorkerView } from '@escapement/operations';
import type { Database } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, fleetOf, withDatabase } from '../context.ts';
import { readNote } from '../options.ts';
import { counted, inUtc } from '../output/wording.ts';

/** `workers list`, `drain` and `resume`. */
export function addWorkers(program: Command, context: Context): void {
  const workers = program.command('workers').description('workers that are alive; have one take nothing new');
  workers
    .command('list')
    .description('the workers that are alive, and how many runs each holds')
    .action(() => list(context));
  workers
    .command('drain')
    .description('have a worker take nothing new; says when it is empty')
    .argument('<name>', 'id of the worker, or how it begins')
    .option('--note <text>', 'why', readNote('--note'))
    .option('--wait', 'end when the worker holds no run any more', false)
    .action((name: string, options: DrainOptions) => drain(name, options, context));
  workers
    .command('resume')
    .description('have a worker that is being drained take runs again')
    .argument('<name>', 'id of the worker, or how it begins')
    .action((name: string) => resume(name, context));
}

interface DrainOptions {
  note?: string;
  wait: boolean;
}

async function list(context: Context): Promise<void> {
  const { output } = context;
  const workers = await withDatabase(context, (db) => listWorkers(db, fleetOf(context)));
  output.table(workers, workers, [
    { title: 'NAME', value: ({ id }) => id },
    { title: 'CALLED', value: ({ name }) => name ?? '-' },
    { title: 'HOST', value: ({ host }) => host },
    { title: 'PID', value: ({ pid }) => String(pid), align: 'right' },
    { title: 'POOLS', value: ({ pools }) => pools.join(', ') },
    { title: 'SINCE', value: ({ startedAt }) => inUtc(startedAt) },
    { title: 'RUNNING', value: ({ activeRuns }) => String(activeRuns), align: 'right' },
    { title: 'STATE', value: stateOf, wraps: true },
  ]);
  if (workers.length === 0) output.note('no worker is alive');
}

function stateOf({ drain }: WorkerView): string {
  if (!drain) return 'active';
  const why = drain.note === null ? '' : `: ${drain.note}`;
  return `${drain.isEmpty ? 'drained, empty' : 'draining'} since ${inUtc(drain.askedAt)}, by ${drain.askedBy}${why}`;
}

async function drain(name: string, { note, wait }: DrainOptions, context: Context): Promise<void> {
  const { output } = context;
  const worker = await withDatabase(context, async (db, by) => {
    await drainWorker(db, name, by(note), fleetOf(context));
    const asked = await requireWorker(db, name, fleetOf(context));
    return wait ? await untilEmpty(db, asked, context) : asked;
  });
  const { id, activeRuns } = worker;
  const runs = counted(activeRuns, 'run');
  output.result(worker, () => [
    worker.drain?.isEmpty
      ? `${id} is empty: it takes nothing new and holds no run`
      : `${id} takes nothing new from its next heartbeat on, and holds ${runs}; \`escapement workers drain ${id} --wait\` says when it is empty`,
  ]);
}

const LOOK_EVERY_MS = 0.5 * SECOND;

/** Looks until the worker holds no run; one that has stopped meanwhile holds none either. Throws `interrupted`. */
async function untilEmpty(db: Database, asked: WorkerView, context: Context): Promise<WorkerView> {
  const signal = context.interruptible();
  let told = -1;
  while (!signal.aborted) {
    const worker = (await listWorkers(db, fleetOf(context))).find(({ id }) => id === asked.id);
    if (!worker) {
      context.output.note(`${asked.id} has stopped`);
      return asked;
    }
    if (worker.drain?.isEmpty) return worker;
    if (worker.activeRuns !== told) context.output.note(`${worker.id} holds ${counted(worker.activeRuns, 'run')}`);
    told = worker.activeRuns;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  throw new EscapementError('interrupted', `${asked.id} is still being drained`, {
    fix: `escapement workers drain ${asked.id} --wait`,
  });
}

async function resume(name: string, context: Context): Promise<void> {
  const resumed = await withDatabase(context, (db, by) => resumeWorker(db, name, by(), fleetOf(context)));
  context.output.result({ name, resumed }, () => [
    resumed ? `${name} takes runs again` : `${name} was not being drained`,
  ]);
}
