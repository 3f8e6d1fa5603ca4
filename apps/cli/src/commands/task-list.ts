import {
  FAILED_STATES,
  type LabelFilter,
  type LabelSelector,
  type RunState,
  SECOND,
  type StateOfTask,
  TASK_STATES,
} from '@escapement/core';
import { labelsSeen, scheduleWords, type TaskStand, taskState, taskView, zoneOf } from '@escapement/operations';
import { type Database, listTasks, type RecentRuns, recentRuns, type Task } from '@escapement/store';
import { type Command, Option } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { LABEL_HELP, LABEL_OPTION, readCount, readPool, readSelector, readStates, readWordsOf } from '../options.ts';
import { sparkline } from '../output/sparkline.ts';
import type { Column } from '../output/table.ts';
import { nextRun } from '../output/task.ts';
import { fromNow, inUtc } from '../output/wording.ts';
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

interface Listed {
  task: Task;
  recent: RecentRuns | undefined;
  state: TaskStand;
}

async function showList(options: ListOptions, context: Context): Promise<void> {
  const { watch } = options;
  // Asked for before anything is said that invites a Ctrl-C.
  const signal = watch === undefined ? undefined : context.interruptible();
  const everyMs = (typeof watch === 'number' ? watch : WATCH_SECONDS) * SECOND;
  await withDatabase(context, async (db, by) => {
    const seen = labelsSeen(db, by(), options.label);
    const isCut = seen !== options.label;
    const look = async () => {
      const listed = await read(db, { ...options, seen }, context);
      return () => show(listed, { ...options, isCut }, context);
    };
    if (signal) await refresh({ look, everyMs, signal }, context);
    else (await look())();
  });
}

async function read(
  db: Database,
  options: ListOptions & { seen: LabelFilter | undefined },
  { clock }: Context,
): Promise<Listed[]> {
  const { source, pool, seen: labels, name } = options;
  const tasks = await listTasks(db, { source, pool, labels, name });
  const recent = await recentRuns(
    db,
    tasks.map(({ id }) => id),
    RECENT,
  );
  const now = clock.now();
  return tasks
    .map((task) => ({ task, recent: recent.get(task.id), state: taskState(task, now) }))
    .filter((each) => isWanted(each, options))
    .toSorted(ORDERS[options.sort]);
}

function isWanted({ recent, state }: Listed, options: ListOptions): boolean {
  if (options.state && !options.state.includes(state.state)) return false;
  return !options.last || (recent !== undefined && options.last.includes(recent.last.state));
}

/** By name, where nothing else is said: they come in that order. */
const ORDERS: { readonly [Sort in ListOptions['sort']]: (one: Listed, other: Listed) => number } = {
  name: () => 0,
  next: (one, other) => nextMs(one) - nextMs(other) || 0,
  last: (one, other) => lastMs(other) - lastMs(one) || 0,
  failed: (one, other) => failures(other) - failures(one),
  pool: (one, other) => one.task.definition.pool.localeCompare(other.task.definition.pool),
  source: (one, other) => one.task.source.localeCompare(other.task.source),
  state: (one, other) => TASK_STATES.indexOf(one.state.state) - TASK_STATES.indexOf(other.state.state),
};

function nextMs({ task }: Listed): number {
  return task.nextStartAt?.getTime() ?? Number.POSITIVE_INFINITY;
}

function lastMs({ recent }: Listed): number {
  return recent?.last.at.getTime() ?? Number.NEGATIVE_INFINITY;
}

function failures({ recent }: Listed): number {
  return recent?.states.filter((state) => FAILED_STATES.includes(state)).length ?? 0;
}

/** `isCut`: only what a token may see is listed. */
type ShowOptions = ListOptions & { isCut: boolean };

function show(listed: readonly Listed[], options: ShowOptions, { output, clock }: Context): void {
  const json = listed.map(({ task, recent, state }) => ({
    ...taskView(task),
    state: state.state,
    lastRun: recent?.last ?? null,
    recentStates: recent?.states ?? [],
  }));
  output.table(json, listed, columns(clock.now()));
  if (listed.length === 0) output.note(whyEmpty(options));
}

function columns(now: Date): Column<Listed>[] {
  const definition = ({ task }: Listed) => task.definition;
  return [
    { title: 'NAME', value: ({ task }) => task.name },
    { title: 'SCHEDULE', value: (each) => scheduleWords(definition(each)) },
    { title: 'ZONE', value: (each) => zoneOf(definition(each).schedule) ?? '' },
    { title: 'NEXT RUN', value: ({ task }) => (task.nextStartAt ? nextWords(task, task.nextStartAt, now) : '-') },
    { title: 'LAST RUN', value: ({ recent }) => (recent ? lastWords(recent, now) : '-') },
    { title: 'RECENT', value: ({ recent }) => sparkline(recent?.states.toReversed() ?? []), align: 'right' },
    { title: 'TYPE', value: (each) => definition(each).handler.type },
    { title: 'POOL', value: (each) => definition(each).pool },
    { title: 'SOURCE', value: ({ task }) => task.source },
    { title: 'STATE', value: ({ state }) => state.brief },
  ];
}

function nextWords(task: Task, at: Date, now: Date): string {
  return `${nextRun(task)} (${fromNow(at, now)})`;
}

function lastWords({ last: { state, at } }: RecentRuns, now: Date): string {
  return `${state} ${inUtc(at)} (${fromNow(at, now)})`;
}

function whyEmpty({ source, pool, label, name, state, last, isCut }: ShowOptions): string {
  if (label && !isCut && [source, pool, name, state, last].every((each) => each === undefined))
    return 'no task has these labels';
  const filtered = [source, pool, label, name, state, last].some((each) => each !== undefined);
  if (isCut) return filtered ? 'no task that you may see matches' : 'there is no task that you may see';
  return filtered ? 'no task matches' : 'there are no tasks; see `escapement import crontab --help`';
}
