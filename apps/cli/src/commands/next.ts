import { EscapementError } from '@escapement/core';
import { describeSchedule } from '@escapement/core/schedule';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { readCount } from '../options.ts';
import { inUtc } from '../output/wording.ts';
import { type Asked, addScheduleArguments, askedSchedule, isHashed, type ScheduleOptions } from '../schedule/asked.ts';
import { fireColumns, lookAhead } from '../schedule/fires.ts';

interface NextOptions extends ScheduleOptions {
  count: number;
}

export function addNext(program: Command, context: Context): void {
  addScheduleArguments(program.command('next'))
    .description('show when a cron expression or a task is due next; an expression needs no server')
    .option('--count <n>', 'how many times, 1 to 1000', readCount('--count', 1, 1000), 5)
    .action((words: string[], options: NextOptions) => showNext(words, options, context));
}

async function showNext(words: readonly string[], options: NextOptions, context: Context): Promise<void> {
  const { output } = context;
  const asked = await askedSchedule(words, options, context);
  const { fires, leftOut } = lookAhead(asked, options.count);
  if (fires.length === 0)
    throw new EscapementError('never_fires', `it never fires after ${asked.after.toISOString()}`, {
      fix: asked.schedule.kind === 'manual' ? 'escapement tasks trigger runs it by hand' : 'give an earlier --after',
    });
  const meaning = describeSchedule(asked.schedule);
  if (output.format === 'table') output.text(`${titleOf(asked)}: ${meaning}${zoneWords(asked)}\n\n`);
  output.table({ ...factsOf(asked), meaning, next: fires, leftOut }, fires, fireColumns(asked));
  if (asked.schedule.kind === 'fixed-delay') output.note(FIXED_DELAY);
  noteLeftOut(leftOut, context);
  if (fires.length < options.count) output.note('it never fires again after that');
}

const SHOWN_LEFT_OUT = 5;

/** Says which occurrences between those shown calendars leave out. */
export function noteLeftOut(leftOut: readonly { at: Date; reason: string }[], { output }: Context): void {
  for (const { at, reason } of leftOut.slice(0, SHOWN_LEFT_OUT)) output.note(`left out: ${inUtc(at)}, ${reason}`);
  if (leftOut.length > SHOWN_LEFT_OUT) output.note(`and ${leftOut.length - SHOWN_LEFT_OUT} more are left out`);
}

/** The expression, or the task's name, and what stands for H. */
function titleOf({ schedule, task }: Asked): string {
  if (schedule.kind !== 'cron') return task?.name ?? schedule.kind;
  return isHashed(schedule) ? `${schedule.spec.expression} (${schedule.expression})` : schedule.spec.expression;
}

function zoneWords({ timeZone }: Asked): string {
  return timeZone === undefined ? '' : `, ${timeZone}`;
}

export const FIXED_DELAY = 'counted from the end of each run; shown as if it had ended just now, and runs took no time';

/** What was asked, for programs. */
export function factsOf({ schedule, seed, task, timeZone, after }: Asked): object {
  const cron = schedule.kind === 'cron' ? { dialect: schedule.spec.dialect ?? 'unix' } : {};
  return {
    ...(task ? { task: task.name } : {}),
    ...(schedule.kind === 'cron' ? { expression: schedule.spec.expression, ...cron } : {}),
    ...(isHashed(schedule) && schedule.kind === 'cron' ? { seed, hashed: schedule.expression } : {}),
    timeZone: timeZone ?? null,
    schedule: schedule.spec,
    after,
  };
}
