import type { CronSchedule } from '../schedule.ts';
import type { ScheduleLint } from './schedule-lint.ts';

/** An offset of every day: each day is the day before another one. */
export function lintOffset({ spec, pattern }: CronSchedule): ScheduleLint[] {
  const { dayOffset = 0, workingDayOffset = 0 } = spec;
  if (!pattern.day.always || dayOffset === workingDayOffset) return [];
  const working = workingDayOffset !== 0;
  return [
    {
      code: 'offset_of_every_day',
      message: working
        ? `workingDayOffset ${workingDayOffset} is counted from every day: it is due on every working day`
        : `dayOffset ${dayOffset} is counted from every day: it is due on every day, as without it`,
      fix: working
        ? 'MON-FRI as day of week, without workingDayOffset'
        : 'the days from which it counts, or no dayOffset',
    },
  ];
}
