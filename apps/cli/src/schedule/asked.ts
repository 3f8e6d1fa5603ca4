import type { AnswerOf } from '@escapement/api/calls';
import { getFreeze, getTask } from '@escapement/api/routes';
import { EscapementError, readInstant } from '@escapement/core';
import { type Pause, pauseAt, pausedReason } from '@escapement/core/plan';
import {
  type CronSpec,
  nextFire,
  type Occurrences,
  occurrencesOf,
  parseSchedule,
  type Schedule,
} from '@escapement/core/schedule';
import { taskOccurrences, zoneOf } from '@escapement/operations';
import { type Command, Option } from 'commander';
import { taskNamed } from '../commands/one-task.ts';
import type { Context } from '../context.ts';
import { type Calls, withFleet } from '../fleet.ts';
import { readCount, readZone } from '../options.ts';
import { inUtc, systemZone } from '../output/wording.ts';

type Task = AnswerOf<typeof getTask>;

export interface ScheduleOptions {
  tz?: string;
  dialect?: NonNullable<CronSpec['dialect']>;
  dayMatch?: NonNullable<CronSpec['dayMatch']>;
  dayOffset?: number;
  workingDayOffset?: number;
  dstGap?: NonNullable<NonNullable<CronSpec['dst']>['gap']>;
  dstOverlap?: NonNullable<NonNullable<CronSpec['dst']>['overlap']>;
  task?: string;
  seed?: string;
  after?: string;
}

/** The schedule a command line asks about. */
export interface Asked {
  schedule: Schedule;
  /** When it is due, with the calendars of the task; of a fixed delay as if each run had ended at once. */
  occurrences: Occurrences;
  /** How many more runs it may have; undefined: any number. */
  remaining: number | undefined;
  /** What spreads H and jitter: the task's name, or --seed. */
  seed: string;
  /** Undefined: the schedule has none. */
  timeZone: string | undefined;
  task: Task | undefined;
  now: Date;
  after: Date;
}

/** What `next` and `explain` take: an expression, or the schedule of a saved task. */
export function addScheduleArguments(command: Command): Command {
  return command
    .argument('[expr...]', 'cron expression or macro, best in quotes: "0 3 * * mon-fri", @daily')
    .option('--tz <zone>', "IANA time zone; default: the task's, else this machine's", readZone)
    .addOption(
      new Option('--dialect <name>', "the cron dialect; default: the task's, else unix").choices([
        'unix',
        'vixie',
        'quartz',
      ]),
    )
    .addOption(
      new Option('--day-match <how>', 'how the two day fields combine where both are set').choices(['or', 'and']),
    )
    .option(
      '--day-offset <days>',
      'due so many days after the days of the expression; -1: the day before',
      readCount('--day-offset', -31, 31),
    )
    .option(
      '--working-day-offset <days>',
      'the same in working days, Monday to Friday',
      readCount('--working-day-offset', -23, 23),
    )
    .addOption(
      new Option(
        '--dst-gap <rule>',
        'what to do with a local time that does not exist; default: depends on the expression',
      ).choices(['next-valid', 'shift', 'skip']),
    )
    .addOption(
      new Option(
        '--dst-overlap <rule>',
        'what to do with a local time that comes twice; default: depends on the expression',
      ).choices(['first', 'second', 'both']),
    )
    .option(
      '--task <name>',
      'a saved task: shows its schedule; with an expression: uses zone, dialect and name of this task',
    )
    .option('--seed <name>', 'task name from which H is computed, if there is no task yet; default: empty')
    .option('--after <instant>', 'occurrences after this: ISO 8601, or a time in the zone; default: now');
}

/** Throws `no_expression`, `needless_option`, `unknown_task`, what reading an instant and `parseSchedule` throw. */
export async function askedSchedule(words: readonly string[], options: ScheduleOptions, context: Context) {
  const { output, clock } = context;
  checkTogether(words, options);
  const { task: name } = options;
  const saved = name === undefined ? undefined : await withFleet(context, (fleet) => readTask(fleet, name, context));
  const task = saved?.task;
  const seed = task?.name ?? options.seed ?? '';
  const schedule =
    task && words.length === 0
      ? parseSchedule(task.definition.schedule, { seed })
      : parseSchedule(cronSpec(words.join(' '), options, { task, output }), { seed });
  if (isHashed(schedule) && seed === '') output.note("H is a hash of the task's name: give it with --seed");
  const timeZone = zoneOf(schedule.spec);
  const now = clock.now();
  const { after } = options;
  const read = { what: '--after', now, spans: 'ahead', timeZone: timeZone ?? 'UTC' } as const;
  const occurrences = words.length === 0 ? saved?.occurrences : undefined;
  const remaining = schedule.spec.maxRuns === undefined ? undefined : schedule.spec.maxRuns - (task?.plannedRuns ?? 0);
  return {
    schedule,
    occurrences: withFixedDelay(schedule, occurrences ?? occurrencesOf(schedule)),
    remaining,
    seed,
    timeZone,
    task,
    now,
    after: after === undefined ? now : readInstant(after, read),
  };
}

async function readTask(
  fleet: Calls,
  name: string,
  { output }: Context,
): Promise<{ task: Task; occurrences: Occurrences }> {
  const task = await fleet.call(getTask, { params: await taskNamed(fleet, name) });
  const { freeze } = await fleet.call(getFreeze, {});
  if (freeze)
    output.note(
      freeze.untilAt
        ? `${task.name} is frozen with the fleet: nothing starts before ${inUtc(freeze.untilAt)}`
        : `${task.name} is frozen with the fleet; shown as if \`escapement unfreeze\` were given now`,
    );
  for (const { untilAt, note } of task.pauses)
    output.note(
      `${pausedReason(note)}; ${untilAt ? `nothing starts before ${inUtc(untilAt)}` : 'shown as if it were resumed now'}`,
    );
  const { definition, calendars, pauses } = task;
  const schedule = parseSchedule(definition.schedule, { seed: task.name });
  const occurrences = taskOccurrences(schedule, definition.calendars, calendars);
  return { task, occurrences: outsidePauses(occurrences, [...pauses, ...(freeze ? [freeze] : [])]) };
}

/** What falls into a pause whose end is known is skipped. */
function outsidePauses({ next, excluded }: Occurrences, pauses: readonly Pause[]): Occurrences {
  const bounded = pauses.filter(({ untilAt }) => untilAt !== null);
  return {
    excluded,
    next(after) {
      let at = next(after);
      for (let pause = at && pauseAt(bounded, at); at && pause?.untilAt; pause = at ? pauseAt(bounded, at) : undefined)
        at = next(new Date(pause.untilAt.getTime() - 1));
      return at;
    },
  };
}

function withFixedDelay(schedule: Schedule, occurrences: Occurrences): Occurrences {
  if (schedule.kind !== 'fixed-delay') return occurrences;
  return { ...occurrences, next: (after) => nextFire(schedule, after) };
}

/** The schedule has an H, for which something else stands. */
export function isHashed(schedule: Schedule): boolean {
  return schedule.kind === 'cron' && schedule.expression !== schedule.spec.expression;
}

function cronSpec(
  expression: string,
  { tz, dialect, dayMatch, dayOffset, workingDayOffset, dstGap, dstOverlap }: ScheduleOptions,
  { task, output }: { task: Task | undefined; output: Context['output'] },
): CronSpec {
  const saved = task?.definition.schedule;
  const timeZone = tz ?? (saved && zoneOf(saved)) ?? systemZone();
  if (!tz && !(saved && zoneOf(saved))) output.note(`zone: ${timeZone} (this machine's; another one: --tz)`);
  return {
    kind: 'cron',
    expression,
    dialect: dialect ?? (saved?.kind === 'cron' ? saved.dialect : undefined) ?? 'unix',
    timeZone,
    ...(dayMatch === undefined ? {} : { dayMatch }),
    ...(dayOffset === undefined ? {} : { dayOffset }),
    ...(workingDayOffset === undefined ? {} : { workingDayOffset }),
    ...(dstGap === undefined && dstOverlap === undefined ? {} : { dst: { gap: dstGap, overlap: dstOverlap } }),
  };
}

function checkTogether(words: readonly string[], options: ScheduleOptions): void {
  const { task, tz, dialect, seed, dayMatch, dayOffset, workingDayOffset, dstGap, dstOverlap } = options;
  if (words.length === 0 && task === undefined)
    throw new EscapementError('no_expression', 'there is nothing to look at', {
      fix: 'give a cron expression in quotes, or a saved task with --task NAME',
    });
  const needless =
    task !== undefined && seed !== undefined
      ? '--seed'
      : words.length > 0
        ? undefined
        : ((tz && '--tz') ??
          (dialect && '--dialect') ??
          (dayMatch && '--day-match') ??
          (dayOffset !== undefined ? '--day-offset' : undefined) ??
          (workingDayOffset !== undefined ? '--working-day-offset' : undefined) ??
          (dstGap && '--dst-gap') ??
          (dstOverlap && '--dst-overlap'));
  if (needless)
    throw new EscapementError('needless_option', `${needless} does not go with --task ${task}`, {
      fix:
        needless === '--seed'
          ? "H is a hash of the task's name"
          : `the task's schedule has its own; ${needless} goes with an expression`,
    });
}
