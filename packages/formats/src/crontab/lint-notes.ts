import { lintSchedule, type Schedule, type ScheduleLint } from '@escapement/core/schedule';

/** What a lint says about a line of a crontab, which cannot write the fixes of a task's schedule. */
const NOTES: { readonly [code in ScheduleLint['code']]?: (lint: ScheduleLint) => string } = {
  either_day_field: () => 'both day fields are set: a day that matches one of them is enough, as in cron',
  not_the_nth_weekday: ({ message }) => `${message}, as in cron`,
  short_months: ({ message }) => message,
  uneven_step: ({ message }) => message,
  step_too_large: ({ message }) => message,
};

/** What may not be meant by a line. Changes of the clock hit half of all nightly lines: they are told once a file. */
export function lintNotes(schedule: Schedule, now: Date): string[] {
  return lintSchedule(schedule, now).flatMap((lint) => NOTES[lint.code]?.(lint) ?? []);
}

export function hitByClockChange(schedule: Schedule, now: Date): boolean {
  return lintSchedule(schedule, now).some(({ at }) => at !== undefined);
}
