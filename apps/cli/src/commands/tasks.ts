import type { AnswerOf } from '@escapement/api/calls';
import { getTask } from '@escapement/api/routes';
import { formatRate, type RateLimit } from '@escapement/core';
import type { Labels } from '@escapement/core/rights';
import { poolPauseWords } from '@escapement/operations';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { nextRun } from '../output/task.ts';
import { fromNow, inUtc } from '../output/wording.ts';
import { taskNamed } from './one-task.ts';

type Task = AnswerOf<typeof getTask>;

export function addTaskShow(tasks: Command, context: Context): void {
  tasks
    .command('show')
    .description('everything about a task')
    .argument('<name>', 'name of the task')
    .action((name: string) => showTask(name, context));
}

async function showTask(name: string, context: Context): Promise<void> {
  const { output, clock } = context;
  const now = clock.now();
  const task = await withFleet(context, async (fleet) => fleet.call(getTask, { params: await taskNamed(fleet, name) }));
  const { change, pool, workers } = task;
  const { handler, description, labels, rate, pauseAfterFailures } = task.definition;
  const facts: [string, string][] = [
    ['name', task.name],
    ...(task.formerNames.length > 0 ? [['was called', task.formerNames.join(', ')] satisfies [string, string]] : []),
    ...(description === undefined ? [] : [['description', description] satisfies [string, string]]),
    ...(labels ? [['labels', labelWords(labels)] satisfies [string, string]] : []),
    ['schedule', task.meaning],
    ['next run', task.nextStartAt ? `${nextRun(task)} (${fromNow(task.nextStartAt, now)})` : 'none'],
    ['state', task.stateWords],
    ...task.pauses.map((pause) => ['paused', pauseWords(pause)] satisfies [string, string]),
    ...(pauseAfterFailures ? [['failures', failuresWords(pauseAfterFailures)] satisfies [string, string]] : []),
    ['type', handler.type],
    ['pool', poolWords(pool)],
    ...(workers ? [['runs on', workersWords(workers)] satisfies [string, string]] : []),
    ...(rate ? [['rate', rateWords(rate, task.name)] satisfies [string, string]] : []),
    ['source', task.source],
    ['version', `${task.version}, of ${inUtc(task.updatedAt)}`],
    ...(change ? [['changes', changeNote(change)] satisfies [string, string]] : []),
  ];
  output.result(task, () => [
    ...facts.map(([title, value]) => `${`${title}:`.padEnd(13)} ${value.replaceAll('\n', `\n${' '.repeat(14)}`)}`),
    '',
    JSON.stringify(output.shown(task.definition), null, 2),
  ]);
}

function labelWords(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(', ');
}

/** The pool that a task's runs go to, and whether anybody there can take them. */
function poolWords({ name, pause, waits }: Task['pool']): string {
  const paused = pause ? `, ${poolPauseWords(pause)}; its runs wait` : '';
  return `${name}${paused}${waits ? `; its runs wait: ${waits.reason}; ${waits.advice}` : ''}`;
}

/** Who has a run of its next occurrence, as far as is known. */
function workersWords(workers: NonNullable<Task['workers']>): string {
  if (workers.length === 0) return 'no worker: none of its pool that can run it is there or expected';
  return workers.map(({ name, isAlive }) => (isAlive ? name : `${name} (away)`)).join(', ');
}

function rateWords(rate: RateLimit, name: string): string {
  return `at most ${formatRate(rate)}, counted under "${rate.key ?? name}"; more wait their turn`;
}

function pauseWords({ fromAt, untilAt, createdBy, note }: Task['pauses'][number]): string {
  const end = untilAt ? `until ${inUtc(untilAt)}` : 'until resumed';
  return `from ${inUtc(fromAt)} ${end}, by ${createdBy}${note ? `: ${note}` : ''}; what falls due is skipped`;
}

/** What its failures do to the task. */
function failuresWords(most: number): string {
  return most === 1 ? 'one pauses the task' : `${most} in a row pause the task`;
}

function changeNote({ effectiveAt, createdBy, error }: NonNullable<Task['change']>): string {
  return `at ${inUtc(effectiveAt)}, asked for by ${createdBy.name}${error === null ? '' : `; not possible: ${error}`}`;
}
