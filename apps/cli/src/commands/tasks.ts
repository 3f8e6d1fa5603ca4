import {
  describeSchedule,
  formatRate,
  type LabelSelector,
  type Labels,
  matchesSelector,
  parseSchedule,
  parseSelector,
  type RateLimit,
  redactDefinition,
  redactUnknownDefinition,
  type ScheduleSpec,
} from '@escapement/core';
import { type PoolView, requireTask, showPool, tasksSeen, type Waits, whyTaskWaits } from '@escapement/operations';
import {
  findTaskChange,
  listTasks,
  type PauseWindow,
  type Task,
  type TaskChange,
  type TaskPause,
} from '@escapement/store';
import type { Command } from 'commander';
import { type Context, fleetOf, withDatabase } from '../context.ts';
import { poolPauseWords } from '../output/pool.ts';
import { fromNow, inUtc, inZone } from '../output/wording.ts';

export function addTasks(program: Command, context: Context): Command {
  const tasks = program.command('tasks').description('look at tasks, run, pause and delete them');
  tasks
    .command('list')
    .description('all tasks with their schedules and next runs')
    .option('--source <source>', 'only those of one source: code, crontab:NAME, ...')
    .option(
      '--label <selector>',
      'only those with these labels: team=shop, env=test|stage, with commas between',
      parseSelector,
    )
    .action((options: ListOptions) => showList(options, context));
  tasks
    .command('show')
    .description('everything about a task')
    .argument('<name>', 'name of the task')
    .action((name: string) => showTask(name, context));
  return tasks;
}

interface ListOptions {
  source?: string;
  label?: LabelSelector;
}

async function showList({ source, label }: ListOptions, context: Context): Promise<void> {
  const { output, clock } = context;
  const all = await withDatabase(context, async (db, by) => {
    const sees = tasksSeen(db, by());
    const found = await listTasks(db, source === undefined ? {} : { source });
    return sees ? found.filter(({ name, definition: { labels } }) => sees({ name, labels })) : found;
  });
  const tasks = label ? all.filter(({ definition }) => matchesSelector(label, definition.labels ?? {})) : all;
  const now = clock.now();
  output.table(tasks.map(toListed), tasks, [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'SCHEDULE', value: ({ definition }) => inWords(definition.schedule, definition.onFleetStart) },
    { title: 'ZONE', value: ({ definition }) => zoneOf(definition.schedule) ?? '' },
    {
      title: 'NEXT RUN',
      value: (task) => (task.nextStartAt ? `${nextRun(task)} (${fromNow(task.nextStartAt, now)})` : '-'),
    },
    { title: 'TYPE', value: ({ definition }) => definition.handler.type },
    { title: 'POOL', value: ({ definition }) => definition.pool },
    { title: 'SOURCE', value: (task) => task.source },
    { title: 'STATE', value: (task) => stateOf(task, now) },
  ]);
  if (tasks.length === 0)
    output.note(
      all.length > 0 ? 'no task has these labels' : 'there are no tasks; see `escapement import crontab --help`',
    );
}

function toListed(task: Task): object {
  const { schedule, onFleetStart } = task.definition;
  return { ...task, definition: redactDefinition(task.definition), meaning: inWords(schedule, onFleetStart) };
}

async function showTask(name: string, context: Context): Promise<void> {
  const { output, clock } = context;
  const [task, change, pool] = await withDatabase(context, async (db) => {
    const found = await requireTask(db, name);
    const fleet = fleetOf(context);
    const pool = await showPool(db, found.definition.pool, fleet);
    return [found, await findTaskChange(db, name), { ...pool, waits: await whyTaskWaits(db, name, fleet) }] as const;
  });
  const now = clock.now();
  const { schedule, onFleetStart, handler, description, labels, rate } = task.definition;
  const facts: [string, string][] = [
    ['name', task.name],
    ...(description === undefined ? [] : [['description', description] satisfies [string, string]]),
    ...(labels ? [['labels', labelWords(labels)] satisfies [string, string]] : []),
    ['schedule', inWords(schedule, onFleetStart)],
    ['next run', task.nextStartAt ? `${nextRun(task)} (${fromNow(task.nextStartAt, now)})` : 'none'],
    ['state', stateOf(task, now)],
    ...task.pauses.map((pause) => ['paused', pauseWords(pause)] satisfies [string, string]),
    ['type', handler.type],
    ['pool', poolWords(pool)],
    ...(rate ? [['rate', rateWords(rate, task.name)] satisfies [string, string]] : []),
    ['source', task.source],
    ['version', `${task.version}, of ${inUtc(task.updatedAt)}`],
    ...(change ? [['changes', changeNote(change)] satisfies [string, string]] : []),
  ];
  output.result({ ...toListed(task), change: change && redactChange(change), pool }, () => [
    ...facts.map(([title, value]) => `${`${title}:`.padEnd(13)} ${value.replaceAll('\n', `\n${' '.repeat(14)}`)}`),
    '',
    JSON.stringify(output.shown(redactDefinition(task.definition)), null, 2),
  ]);
}

function labelWords(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(', ');
}

function redactChange(change: TaskChange): TaskChange {
  return { ...change, definition: redactUnknownDefinition(change.definition) };
}

/** The pool that a task's runs go to, and whether anybody there can take them. */
function poolWords({ name, pause, waits }: PoolView & { waits: Waits | null }): string {
  const paused = pause ? `, ${poolPauseWords(pause)}; its runs wait` : '';
  return `${name}${paused}${waits ? `; its runs wait: ${waits.reason}; ${waits.advice}` : ''}`;
}

function rateWords(rate: RateLimit, name: string): string {
  return `at most ${formatRate(rate)}, counted under "${rate.key ?? name}"; more wait their turn`;
}

function pauseWords({ fromAt, untilAt, createdBy, note }: TaskPause): string {
  const end = untilAt ? `until ${inUtc(untilAt)}` : 'until resumed';
  return `from ${inUtc(fromAt)} ${end}, by ${createdBy}${note ? `: ${note}` : ''}; what falls due is skipped`;
}

function changeNote({ effectiveAt, createdBy, error }: TaskChange): string {
  return `at ${inUtc(effectiveAt)}, asked for by ${createdBy.name}${error === null ? '' : `; not possible: ${error}`}`;
}

/** A schedule in words. */
export function inWords(spec: ScheduleSpec, onFleetStart: boolean | undefined): string {
  const start = onFleetStart ? 'when the fleet comes up' : '';
  if (spec.kind === 'manual') return start || 'by hand';
  const words = describeSchedule(parseSchedule(spec));
  return start ? `${words}, and ${start}` : words;
}

export function zoneOf(spec: ScheduleSpec): string | undefined {
  return 'timeZone' in spec ? spec.timeZone : undefined;
}

function nextRun({ nextStartAt, definition }: Task): string {
  return nextStartAt ? inZone(nextStartAt, zoneOf(definition.schedule) ?? 'UTC') : '-';
}

function stateOf({ pauses, planError }: Task, now: Date): string {
  const pause = activePause(
    pauses.filter(({ runId }) => runId === null),
    now,
  );
  if (pause)
    return `paused${pause.untilAt ? ` until ${inUtc(pause.untilAt)}` : ''}${pause.note ? `: ${pause.note}` : ''}`;
  const [decided] = pauses.filter(({ runId }) => runId !== null);
  if (decided)
    return `${decided.untilAt ? 'active, its next run decided' : 'at rest for good, decided'} by run ${decided.runId}`;
  return planError ? `cannot be planned: ${planError}` : 'active';
}

/** The pause that holds now, the longest if there are several. */
export function activePause(pauses: readonly PauseWindow[], now: Date): PauseWindow | undefined {
  const active = pauses.filter(({ fromAt, untilAt }) => fromAt <= now && (untilAt === null || untilAt > now));
  return active.toSorted((one, other) => endOf(other) - endOf(one))[0];
}

function endOf({ untilAt }: PauseWindow): number {
  return untilAt?.getTime() ?? Number.POSITIVE_INFINITY;
}
