import { readCron } from '../cron/read.ts';
import type { CronSchedule, EverySchedule, Schedule } from '../schedule.ts';
import { days } from './days.ts';
import { describeRrule } from './rrule.ts';
import { timeOfDay } from './time-of-day.ts';
import { duration } from './wording.ts';

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
  const when = days(reading, pattern).replace(/,$/, '');
  if (when === '') return time.daily ? `${time.text} every day` : time.text;
  return `${time.text} ${when}`;
}

function describeEvery({ everyMs, phaseMs, spec }: EverySchedule): string {
  const text = `every ${duration(everyMs).replace(/^1 (second|minute|hour|day)$/, '$1')}`;
  if (spec.anchor !== undefined) return `${text}, counted from ${spec.anchor}`;
  return phaseMs === 0 ? text : `${text}, ${duration(phaseMs)} after the full interval (UTC)`;
}
