import { readCron, type ScheduleSpec } from '@escapement/core/schedule';

/** The schedule of a line of a crontab, or a job of anacron, so many seconds later. These know no seconds. */
export function laterBy(schedule: ScheduleSpec, seconds: number): ScheduleSpec {
  if (seconds === 0) return schedule;
  if (schedule.kind === 'rrule')
    return { ...schedule, dtStart: schedule.dtStart.replace(/:00$/, `:${String(seconds).padStart(2, '0')}`) };
  if (schedule.kind !== 'cron') return schedule;
  const { dialect: _, ...plain } = schedule;
  const { minute, hour, month, ...of } = readCron(schedule.expression, 'vixie').fields;
  const days = [of.dayOfMonth.text, of.dayOfWeek.text];
  // For crontabs a day field that begins with `*`, as one with a step does, leaves it to the other one; else either may match, and
  // `1,*` is any day.
  const isAnyDay = days.every((text) => !text.startsWith('*')) && days.some((text) => text.split(',').includes('*'));
  const [dayOfMonth, dayOfWeek] = isAnyDay ? ['*', '*'] : days;
  return {
    ...plain,
    expression: [seconds, minute.text, hour.text, dayOfMonth, month.text, dayOfWeek].join(' '),
    ...(days.some((text) => text.startsWith('*')) ? { dayMatch: 'and' } : {}),
  };
}
