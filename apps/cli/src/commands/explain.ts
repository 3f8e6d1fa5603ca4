import { HOUR, SECOND } from '@escapement/core';
import {
  explainSchedule,
  firesBetween,
  lintSchedule,
  parseSchedule,
  type ScheduleLint,
} from '@escapement/core/schedule';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { tableLines } from '../output/table.ts';
import { counted } from '../output/wording.ts';
import { type Asked, addScheduleArguments, askedSchedule, isHashed, type ScheduleOptions } from '../schedule/asked.ts';
import { type Fire, fireAt, fireColumns, lookAhead } from '../schedule/fires.ts';
import { FIXED_DELAY, factsOf, noteLeftOut } from './next.ts';

const FIRES = 5;
const CLOCK_CHANGES = 2;
/** Fires this far on either side of a change of the clock are shown, and at most so many. */
const AROUND_CHANGE_MS = 2 * HOUR;
const FIRES_AROUND_CHANGE = 6;
/** Fires of each second in that time. */
const MOST_BEFORE = AROUND_CHANGE_MS / SECOND + 1;

export function addExplain(program: Command, context: Context): void {
  addScheduleArguments(program.command('explain'))
    .description('explain a cron expression or the schedule of a task, and warn of likely mistakes')
    .action((words: string[], options: ScheduleOptions) => showExplanation(words, options, context));
}

async function showExplanation(words: readonly string[], options: ScheduleOptions, context: Context): Promise<void> {
  const { output } = context;
  const asked = await askedSchedule(words, options, context);
  const explanation = explanationOf(asked);
  const lints = lintSchedule(asked.schedule, asked.after);
  const warnings = lints.filter(({ at }) => at === undefined);
  const clockChanges = lints.flatMap((lint) => changeOf(lint, asked)).slice(0, CLOCK_CHANGES);
  const { fires: next, leftOut } = lookAhead(asked, FIRES);
  output.result({ ...factsOf(asked), explanation, warnings, next, leftOut, clockChanges }, () => [
    explanation,
    ...warnings.flatMap((lint) => ['', `warning: ${lint.message}`, ...fixLines(lint)]),
    ...(next.length === 0 ? [] : ['', ...tableLines(next, fireColumns(asked), output.width)]),
    ...clockChanges.flatMap((change) => ['', ...changeLines(change, asked)]),
  ]);
  noteLeftOut(leftOut, context);
  if (asked.schedule.kind === 'fixed-delay') output.note(FIXED_DELAY);
}

function explanationOf(asked: Asked): string {
  const { schedule, task, seed } = asked;
  return [
    explainSchedule(schedule),
    ...(isHashed(schedule) && schedule.kind === 'cron'
      ? [`${schedule.spec.expression} is ${schedule.expression}${seed === '' ? '' : ` for the name ${seed}`}.`]
      : []),
    ...calendarWords(asked),
    ...(task?.definition.onFleetStart ? ['It also runs when the fleet comes up.'] : []),
  ].join(' ');
}

function calendarWords({ task, schedule }: Asked): string[] {
  const use = task?.definition.calendars;
  if (!use || schedule.spec !== parseSchedule(task.definition.schedule, { seed: task.name }).spec) return [];
  const names = use.exclude.join(', ');
  if (!use.shift) return [`What falls into ${names} is left out.`];
  if (use.workingDayOffset === undefined)
    return [`What falls into ${names} is moved to the ${use.shift} day that is in none of them.`];
  const moved = `What falls on a weekend or into ${names} is moved to the ${use.shift} working day`;
  const days = Math.abs(use.workingDayOffset);
  if (days === 0) return [`${moved}.`];
  return [
    `${moved}. From there it is moved ${counted(days, 'working day')} ${use.workingDayOffset > 0 ? 'on' : 'back'}, as is all else.`,
  ];
}

/** A change of the clock that hits the schedule, and the fires around it. */
interface ClockChange extends ScheduleLint {
  at: Date;
  fires: Fire[];
}

function changeOf(lint: ScheduleLint, asked: Asked): ClockChange[] {
  const { at } = lint;
  if (at === undefined) return [];
  const from = new Date(at.getTime() - AROUND_CHANGE_MS - 1);
  const justBefore = new Date(at.getTime() - 1);
  const to = new Date(at.getTime() + AROUND_CHANGE_MS);
  const before = firesBetween(asked.schedule, from, justBefore, MOST_BEFORE).slice(-FIRES_AROUND_CHANGE / 2);
  const after = firesBetween(asked.schedule, justBefore, to, FIRES_AROUND_CHANGE - before.length);
  const fires = [...before, ...after];
  return [{ ...lint, at, fires: fires.map((fire) => fireAt(fire, asked)) }];
}

function changeLines(change: ClockChange, asked: Asked): string[] {
  const around =
    change.fires.length === 0
      ? ['  no fire within 2 h of it']
      : tableLines(change.fires, fireColumns(asked).slice(0, -1), undefined).map((line) => `  ${line}`);
  return [`clock change, ${change.message}`, ...fixLines(change), ...around];
}

function fixLines({ fix }: ScheduleLint): string[] {
  return fix === undefined ? [] : [`  instead: ${fix}`];
}
