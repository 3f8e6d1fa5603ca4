import type { TaskDefinition } from '@escapement/core';
import { MAX_SHIFT_MS, nextFire, type Occurrences, parseSchedule } from '@escapement/core/schedule';

/** When a task is first due that is saved to count from `from` on; null: never. A plan of the save asks it as well. */
export function firstRun(
  { schedule, calendars }: TaskDefinition,
  { next }: Occurrences,
  saved: { from: Date; isNew: boolean },
): Date | null {
  const { from, isNew } = saved;
  // Counted from then as if a run had just ended.
  if (schedule.kind === 'fixed-delay') return nextFire(parseSchedule(schedule), from);
  // The instant itself counts.
  if (schedule.kind !== 'once' || !isNew) return next(new Date(from.getTime() - 1));
  // A date that passed while the task was on its way still counts for a new task; an edit never fires retroactively.
  return next(new Date(Date.parse(schedule.at) - (calendars?.shift ? MAX_SHIFT_MS : 1)));
}
