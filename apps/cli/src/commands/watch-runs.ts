import { listRuns, waitForRun } from '@escapement/api/routes';
import { FAILED_STATES, isAtRest, SECOND } from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type Calls, type SeenRun, withFleet } from '../fleet.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { progressBar } from '../output/progress-bar.ts';
import { type Column, tableLines } from '../output/table.ts';
import { span } from '../output/wording.ts';
import { type OneRunOptions, oneRun, withOneRun } from './one-run.ts';
import { refresh } from './refresh.ts';
import { stateOf } from './runs.ts';

const LOOK_EVERY_MS = 1 * SECOND;
/** So many running runs fit on a screen. */
export const SHOWN = 20;

export function addWatchRuns(runs: Command, context: Context, end: (code: ExitCode) => void): void {
  withOneRun(
    runs
      .command('watch')
      .description('how far a run is, again every second until it has ended; without a run: all that are running'),
  ).action(async (id: string | undefined, options: OneRunOptions) => {
    const named = id !== undefined || options.task !== undefined || options.last === true;
    if (named) end(await watchOne(id, options, context));
    else await watchAll(context);
  });
}

/** Exit code 1 if the run fails. */
async function watchOne(id: string | undefined, options: OneRunOptions, context: Context): Promise<ExitCode> {
  const { output } = context;
  const signal = context.interruptible();
  return await withFleet(context, async (fleet) => {
    const asked = { params: { id: await oneRun(fleet, id, options) }, query: { timeoutMs: 0 } };
    let run = await fleet.call(waitForRun, asked);
    const look = async () => {
      run = await fleet.call(waitForRun, asked);
      return () => show([run], context);
    };
    await refresh({ look, everyMs: LOOK_EVERY_MS, signal, isOver: () => isAtRest(run.state) }, context);
    if (isAtRest(run.state)) output.note(`${run.state}${run.reason ? `: ${run.reason}` : ''}`);
    return FAILED_STATES.includes(run.state) || run.state === 'unknown' ? EXIT.failed : EXIT.ok;
  });
}

async function watchAll(context: Context): Promise<void> {
  const signal = context.interruptible();
  await withFleet(context, async (fleet) => {
    const look = async () => {
      const running = await runningNow(fleet);
      return () => show(running, context);
    };
    await refresh({ look, everyMs: LOOK_EVERY_MS, signal }, context);
  });
}

/** The runs that are running, those that began last first. */
export async function runningNow(fleet: Calls): Promise<SeenRun[]> {
  return (await fleet.call(listRuns, { query: { query: 'state:running', limit: SHOWN } })).items;
}

function show(runs: readonly SeenRun[], context: Context): void {
  context.output.result(runs, () => runningLines(runs, context));
}

/** A table of them, with how far each says it is. */
export function runningLines(runs: readonly SeenRun[], { clock, output }: Context): string[] {
  if (runs.length === 0) return ['nothing is running'];
  const nowMs = clock.now().getTime();
  const columns: Column<SeenRun>[] = [
    { title: 'TASK', value: ({ taskName }) => taskName },
    { title: 'STATE', value: stateOf },
    { title: 'FOR', value: (run) => timeOf(run, nowMs), align: 'right' },
    { title: 'ID', value: ({ id }) => id, whole: true },
    { title: 'PROGRESS', value: ({ progress }) => (progress ? progressBar(progress) : ''), wraps: true },
  ];
  return tableLines(output.shown(runs), columns, output.width);
}

function timeOf({ startedAt, finishedAt }: SeenRun, nowMs: number): string {
  return startedAt ? span(Math.max(0, (finishedAt?.getTime() ?? nowMs) - startedAt.getTime())) : '-';
}
