import {
  describeSchedule,
  EscapementError,
  formatRate,
  nearest,
  parseSchedule,
  type RateLimit,
  type ScheduleSpec,
} from '@escapement/core';
import {
  type Database,
  findTask,
  findTaskChange,
  listTasks,
  type PauseWindow,
  type Task,
  type TaskChange,
  type TaskPause,
} from '@escapement/store';
import type { Command } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { fromNow, inUtc, inZone } from '../output/wording.ts';

export function addTasks(program: Command, context: Context): Command {
  const tasks = program.command('tasks').description('look at tasks, run, pause and delete them');
  tasks
    .command('list')
    .description('all tasks with their schedules and next runs')
    .option('--source <source>', 'only those of one source: code, crontab:NAME, ...')
    .action((options: { source?: string }) => showList(options, context));
  tasks
    .command('show')
    .description('everything about a task')
    .argument('<name>', 'name of the task')
    .action((name: string) => showTask(name, context));
  return tasks;
}

/** The task of a name. Throws `unknown_task` with the nearest. */
export async function requireTask(db: Database, name: string): Promise<Task> {
  const task = await findTask(db, name);
  if (task) return task;
  const near = nearest(
    name,
    (await listTasks(db)).map((each) => each.name),
  );
  throw new EscapementError('unknown_task', `there is no task "${name}"`, {
    fix: near ? `did you mean ${near}?` : 'see `escapement tasks list`',
  });
}

async function showList({ source }: { source?: string }, context: Context): Promise<void> {
  const { output, clock } = context;
  const tasks = await withDatabase(context, (db) => listTasks(db, source === undefined ? {} : { source }));
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
  if (tasks.length === 0) output.note('there are no tasks; see `escapement import crontab --help`');
}

function toListed(task: Task): object {
  const { schedule, onFleetStart } = task.definition;
  return { ...task, meaning: inWords(schedule, onFleetStart) };
}

async function showTask(name: string, context: Context): Promise<void> {
  const { output, clock } = context;
  const [task, change] = await withDatabase(
    context,
    async (db) => [await requireTask(db, name), await findTaskChange(db, name)] as const,
  );
  const now = clock.now();
  const { schedule, onFleetStart, handler, description, rate } = task.definition;
  const facts: [string, string][] = [
    ['name', task.name],
    ...(description === undefined ? [] : [['description', description] satisfies [string, string]]),
    ['schedule', inWords(schedule, onFleetStart)],
    ['next run', task.nextStartAt ? `${nextRun(task)} (${fromNow(task.nextStartAt, now)})` : 'none'],
    ['state', stateOf(task, now)],
    ...task.pauses.map((pause) => ['paused', pauseWords(pause)] satisfies [string, string]),
    ['type', handler.type],
    ...(rate ? [['rate', rateWords(rate, task.name)] satisfies [string, string]] : []),
    ['source', task.source],
    ['version', `${task.version}, of ${inUtc(task.updatedAt)}`],
    ...(change ? [['changes', changeNote(change)] satisfies [string, string]] : []),
  ];
  output.result({ ...toListed(task), change }, () => [
    ...facts.map(([title, value]) => `${`${title}:`.padEnd(13)} ${value.replaceAll('\n', `\n${' '.repeat(14)}`)}`),
    '',
    JSON.stringify(task.definition, null, 2),
  ]);
}

function rateWords(rate: RateLimit, name: string): string {
  return `at most ${formatRate(rate)}, counted under "${rate.key ?? name}"; more wait their turn`;
}

function pauseWords({ fromAt, untilAt, createdBy, note }: TaskPause): string {
  const end = untilAt ? `until ${inUtc(untilAt)}` : 'until resumed';
  return `from ${inUtc(fromAt)} ${end}, by ${createdBy}${note ? `: ${note}` : ''}; what falls due is skipped`;
}

function changeNote({ effectiveAt, createdBy, error }: TaskChange): string {
  return `at ${inUtc(effectiveAt)}, asked for by ${createdBy}${error === null ? '' : `; not possible: ${error}`}`;
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
