import { describeSchedule, parseSchedule, ScheduleError, type ScheduleSpec } from './schedule/index.ts';
import type { TaskDefinition } from './task.ts';

/** When a task runs, in words. A time zone that this machine's data has not hides no other task. */
export function scheduleWords({ schedule, onFleetStart, runOn }: Scheduled): string {
  const start = onFleetStart ? 'when the fleet comes up' : '';
  const where = runOn ? ', on every worker' : '';
  if (schedule.kind === 'manual') return `${start || 'by hand'}${where}`;
  const words = `${timesInWords(schedule)}${where}`;
  return start ? `${words}, and ${start}` : words;
}

/** The times of a schedule in words; of one that this machine cannot read, that it cannot. */
export function timesInWords(schedule: ScheduleSpec): string {
  try {
    return describeSchedule(parseSchedule(schedule));
  } catch (error) {
    if (error instanceof ScheduleError) return `not readable here: ${error.message}`;
    throw error;
  }
}

type Scheduled = Pick<TaskDefinition, 'schedule' | 'onFleetStart' | 'runOn'>;
