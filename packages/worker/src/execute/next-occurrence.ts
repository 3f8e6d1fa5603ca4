import { nextFire, parseSchedule, type Schedule } from '@escapement/core/schedule';
import type { TaskVersion } from '@escapement/store';

/** Of versions of tasks, which are kept by `definitions` and never change. */
const schedules = new WeakMap<TaskVersion, Schedule>();

/** Of a fixed delay, which counts from the end of this run: none. */
export function nextOccurrence(task: TaskVersion, after: Date): Date | null {
  const { schedule } = task.definition;
  if (schedule.kind === 'fixed-delay' || schedule.kind === 'manual') return null;
  const parsed = schedules.get(task) ?? parseSchedule(schedule, { seed: task.name });
  schedules.set(task, parsed);
  return nextFire(parsed, after);
}
