import { readCron } from '../cron/read.ts';
import type { CronSchedule, EverySchedule, Schedule } from '../schedule.ts';
import type { CronSpec } from '../spec.ts';
import { days } from './days.ts';
import { describeRrule } from './rrule.ts';
import { timeOfDay } from './time-of-day.ts';
import { duration, ordinal } from './wording.ts';

/** The schedule in plain English, without its zone: `at 09:00 on Monday to Friday`. */
export function describeSchedule(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'cron':
      return describeCron(schedule);
    case 'every':
      return describeEvery(schedule);
    case 'fixed-delay':
      return `${duration(schedule.delayMs)} after the end of the last run`;
    case 'rrule':
      return describeRrule(schedule.spec);
    case 'once':
      return `once, at ${new Date(schedule.at).toISOString()}`;
    case 'manual':
      return 'only when triggered';
  }
}

function describeCron({ spec, expression, pattern }: CronSchedule): string {
  const reading = readCron(expression, spec.dialect ?? 'unix');
  const time = timeOfDay(reading);
  const when = moved(days(reading, pattern).replace(/,$/, ''), spec);
  if (when === '') return time.daily ? `${time.text} every day` : time.text;
  return `${time.text} ${when}`;
}

/** The days, and how far from them it is due. */
function moved(days: string, { dayOffset = 0, workingDayOffset = 0 }: CronSpec): string {
  const count = dayOffset || workingDayOffset;
  if (count === 0) return days;
  const day = workingDayOffset === 0 ? 'day' : 'working day (Monday to Friday)';
  const side = count < 0 ? 'before' : 'after';
  const distance = Math.abs(count) === 1 ? `the ${day}` : `the ${ordinal(Math.abs(count))} ${day}`;
  const which = days.replace(/^on /, '') || 'each day';
  // "before A, and also on B" would be read as one day before A, and B itself.
  const several = / if that is |, and also on |^in /.test(which);
  return `on ${distance} ${side} ${several ? `each day that is ${days}` : which}`;
}

function describeEvery({ everyMs, phaseMs, spec }: EverySchedule): string {
  const text = `every ${duration(everyMs).replace(/^1 (second|minute|hour|day)$/, '$1')}`;
  if (spec.anchor !== undefined) return `${text}, counted from ${spec.anchor}`;
  return phaseMs === 0 ? text : `${text}, ${duration(phaseMs)} after the full interval (UTC)`;
}
