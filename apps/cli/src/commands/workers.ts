import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf } from '@escapement/api/calls';
import { drainWorker, listWorkers, resumeWorker } from '@escapement/api/routes';
import { EscapementError, SECOND } from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type Calls, withFleet } from '../fleet.ts';
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
    .option('--reason <text>', 'why', readNote('--reason'))
    .option('--wait', 'end when the worker holds no run any more', false)
    .action((name: string, options: DrainOptions) => drain(name, options, context));
  workers
    .command('resume')
    .description('have a worker that is being drained take runs again')
    .argument('<name>', 'id of the worker, or how it begins')
    .action((name: string) => resume(name, context));
}

type Worker = AnswerOf<typeof drainWorker>;

interface DrainOptions {
  reason?: string;
  wait: boolean;
}

async function list(context: Context): Promise<void> {
  const { output } = context;
  const { items: workers } = await withFleet(context, (fleet) => fleet.call(listWorkers, {}));
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

function stateOf({ drain }: Worker): string {
  if (!drain) return 'active';
  const why = drain.note === null ? '' : `: ${drain.note}`;
  return `${drain.isEmpty ? 'drained, empty' : 'draining'} since ${inUtc(drain.askedAt)}, by ${drain.askedBy}${why}`;
}

async function drain(name: string, { reason, wait }: DrainOptions, context: Context): Promise<void> {
  const { output } = context;
  const worker = await withFleet(context, async (fleet) => {
    const asked = await fleet.call(drainWorker, { params: { id: name }, body: { reason } });
    return wait ? await untilEmpty(fleet, asked, context) : asked;
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
async function untilEmpty(fleet: Calls, asked: Worker, context: Context): Promise<Worker> {
  const signal = context.interruptible();
  let lastCount = -1;
  while (!signal.aborted) {
    const { items } = await fleet.call(listWorkers, {});
    const worker = items.find(({ id }) => id === asked.id);
    if (!worker) {
      context.output.note(`${asked.id} has stopped`);
      return asked;
    }
    if (worker.drain?.isEmpty) return worker;
    if (worker.activeRuns !== lastCount) context.output.note(`${worker.id} holds ${counted(worker.activeRuns, 'run')}`);
    lastCount = worker.activeRuns;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  throw new EscapementError('interrupted', `${asked.id} is still being drained`, {
    fix: `escapement workers drain ${asked.id} --wait`,
  });
}

async function resume(name: string, context: Context): Promise<void> {
  const { resumed } = await withFleet(context, (fleet) => fleet.call(resumeWorker, { params: { id: name }, body: {} }));
  context.output.result({ name, resumed }, () => [
    resumed ? `${name} takes runs again` : `${name} was not being drained`,
  ]);
}
