import { readCron } from '../cron/read.ts';
import type { CronSchedule, Schedule } from '../schedule.ts';
import { days } from './days.ts';
import { timeOfDay } from './time-of-day.ts';
import { duration } from './wording.ts';

/** The schedule in plain English, without its zone: `at 09:00 on Monday to Friday`. */
export function describeSchedule(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'cron':
      return describeCron(schedule);
    case 'every':
      return describeEvery(schedule.everyMs, schedule.phaseMs);
    case 'once':
      return `once, at ${new Date(schedule.at).toISOString()}`;
    case 'manual':
      return 'only when triggered';
  }
}

function describeCron({ spec, seed, pattern }: CronSchedule): string {
  const reading = readCron(spec.expression, spec.dialect ?? 'unix', seed);
  const time = timeOfDay(reading);
  const when = days(reading, pattern).replace(/,$/, '');
  if (when === '') return time.daily ? `${time.text} every day` : time.text;
  return `${time.text} ${when}`;
}

function describeEvery(everyMs: number, phaseMs: number): string {
  const text = `every ${duration(everyMs).replace(/^1 (second|minute|hour|day)$/, '$1')}`;
  return phaseMs === 0 ? text : `${text}, ${duration(phaseMs)} after the full interval (UTC)`;
}
