import { getMe } from '@escapement/api/routes';
import { FAILED_STATES, type RunState, SECOND, type StateOfTask, TASK_STATES } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import { taskState, zoneOf } from '@escapement/operations';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { type Calls, withFleet } from '../fleet.ts';
import { LABEL_HELP, LABEL_OPTION, readCount, readPool, readSelector, readStates, readWordsOf } from '../options.ts';
import { sparkline } from '../output/sparkline.ts';
import type { Column } from '../output/table.ts';
import { nextRun } from '../output/task.ts';
import { fromNow, inUtc } from '../output/wording.ts';
import { allTasks, type ListedTask } from './all-tasks.ts';
import { refresh } from './refresh.ts';

/** Runs of a sparkline. */
const RECENT = 10;
const WATCH_SECONDS = 2;

const SORTS = ['name', 'next', 'last', 'failed', 'pool', 'source', 'state'] as const;

interface ListOptions {
  source?: string;
  pool?: string;
  label?: LabelSelector;
  name?: string;
  state?: StateOfTask[];
  last?: RunState[];
  sort: (typeof SORTS)[number];
  watch?: number | true;
}

/** `tasks list`: how each task stands, how its latest runs went, and when it is due next. */
export function addTaskList(tasks: Command, context: Context): void {
  tasks
    .command('list')
    .description('all tasks: schedule, next run, last run, and how the runs before it went')
    .option('--source <source>', 'only those of one source: code, crontab:NAME, ...')
    .option('--pool <pool>', 'only those of one pool', readPool)
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .option('--name <pattern>', 'only those of such a name; * stands for any characters, ? for one')
    .option('--state <states>', `only those in these states: ${TASK_STATES.join(', ')}`, readTaskStates)
    .option('--last <states>', 'only those whose last run is in these states; `open`: not ended yet', readStates)
    .addOption(
      new Option('--sort <by>', 'next: the next due first. last: the latest first. failed: who failed most of late')
        .choices(SORTS)
        .default('name'),
    )
    .option(
      '-w, --watch [seconds]',
      `again every so often until Ctrl-C; default: ${WATCH_SECONDS}`,
      readCount('--watch', 1, 3600),
    )
    .action((options: ListOptions) => showList(options, context));
}

const readTaskStates = readWordsOf({
  what: '--state',
  known: TASK_STATES,
  code: 'unknown_state',
  hint: 'for how the last run ended: --last',
});

async function showList(options: ListOptions, context: Context): Promise<void> {
  const { watch } = options;
  // Asked for before anything is said that invites a Ctrl-C.
  const signal = watch === undefined ? undefined : context.interruptible();
  const everyMs = (typeof watch === 'number' ? watch : WATCH_SECONDS) * SECOND;
  await withFleet(context, async (fleet) => {
    const look = async () => {
      const listed = await read(fleet, options);
      const isCut = listed.length === 0 && (await isCutTo(fleet));
      return () => show(listed, { ...options, isCut }, context);
    };
    if (signal) await refresh({ look, everyMs, signal }, context);
    else (await look())();
  });
}

async function read(fleet: Calls, { source, pool, label, name, state, last, sort }: ListOptions) {
  const query = { source, pool, name, label: label?.text, state: state?.join(','), recent: RECENT };
  const tasks = await allTasks(fleet, query);
  return tasks.filter(({ lastRun }) => !last || (lastRun && last.includes(lastRun.state))).toSorted(ORDERS[sort]);
}

/** Whether whoever asks sees only tasks with certain labels. */
async function isCutTo(fleet: Calls): Promise<boolean> {
  const { grants } = await fleet.call(getMe, {});
  return grants.length > 0 && grants.every(({ scope }) => scope !== null);
}

/** By name, where nothing else is said: they come in that order. */
const ORDERS: { readonly [Sort in ListOptions['sort']]: (one: ListedTask, other: ListedTask) => number } = {
  name: () => 0,
  next: (one, other) => nextMs(one) - nextMs(other) || 0,
  last: (one, other) => lastMs(other) - lastMs(one) || 0,
  failed: (one, other) => failures(other) - failures(one),
  pool: (one, other) => one.definition.pool.localeCompare(other.definition.pool),
  source: (one, other) => one.source.localeCompare(other.source),
  state: (one, other) => TASK_STATES.indexOf(one.state) - TASK_STATES.indexOf(other.state),
};

function nextMs({ nextStartAt }: ListedTask): number {
  return nextStartAt?.getTime() ?? Number.POSITIVE_INFINITY;
}

function lastMs({ lastRun }: ListedTask): number {
  return lastRun?.at.getTime() ?? Number.NEGATIVE_INFINITY;
}

function failures({ recentRuns }: ListedTask): number {
  return recentRuns.filter(({ state }) => FAILED_STATES.includes(state)).length;
}

/** `isCut`: there may be tasks that whoever asks does not see. */
type ShowOptions = ListOptions & { isCut: boolean };

function show(listed: readonly ListedTask[], options: ShowOptions, { output, clock }: Context): void {
  output.table(listed, listed, columns(clock.now()));
  if (listed.length === 0) output.note(whyEmpty(options));
}

function columns(now: Date): Column<ListedTask>[] {
  return [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'SCHEDULE', value: ({ meaning }) => meaning },
    { title: 'ZONE', value: ({ definition }) => zoneOf(definition.schedule) ?? '', spare: 4 },
    { title: 'NEXT RUN', value: (task) => (task.nextStartAt ? nextWords(task, task.nextStartAt, now) : '-') },
    { title: 'LAST RUN', value: ({ lastRun }) => (lastRun ? lastWords(lastRun, now) : '-') },
    {
      title: 'RECENT',
      value: ({ recentRuns }) => sparkline(recentRuns.map(({ state }) => state).toReversed()),
      align: 'right',
      spare: 5,
    },
    { title: 'TYPE', value: ({ definition }) => definition.handler.type, spare: 2 },
    { title: 'POOL', value: ({ definition }) => definition.pool, spare: 3 },
    { title: 'SOURCE', value: ({ source }) => source, spare: 1 },
    { title: 'STATE', value: (task) => taskState(task, now).brief },
  ];
}

function nextWords(task: ListedTask, at: Date, now: Date): string {
  return `${nextRun(task)} (${fromNow(at, now)})`;
}

function lastWords({ state, at }: NonNullable<ListedTask['lastRun']>, now: Date): string {
  return `${state} ${inUtc(at)} (${fromNow(at, now)})`;
}

function whyEmpty({ source, pool, label, name, state, last, isCut }: ShowOptions): string {
  if (label && !isCut && [source, pool, name, state, last].every((each) => each === undefined))
    return 'no task has these labels';
  const filtered = [source, pool, label, name, state, last].some((each) => each !== undefined);
  if (isCut) return filtered ? 'no task that you may see matches' : 'there is no task that you may see';
  return filtered ? 'no task matches' : 'there are no tasks; see `escapement import crontab --help`';
}
