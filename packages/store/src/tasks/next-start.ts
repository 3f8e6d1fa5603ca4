import { nextFire, type Pause, parseSchedule, pauseAt, type TaskDefinition } from '@escapement/core';

/** Pauses that follow each other without a gap in which the schedule fires. */
const MAX_PAUSES = 100;

/**
 * When a task starts next, whose next occurrence is at `at`, with its pauses; null: never, as far as is known. What falls into a pause is
 * skipped: then it is the first fire of the schedule after it, unless calendars or the end of a run decide that.
 */
export function startOutsidePauses(
  { name, schedule, calendars }: Pick<TaskDefinition, 'name' | 'schedule' | 'calendars'>,
  pauses: readonly Pause[],
  at: Date | null,
): Date | null {
  let start = at;
  for (let passed = 0; start && passed < MAX_PAUSES; passed++) {
    const pause = pauseAt(pauses, start);
    if (!pause) return start;
    if (!pause.untilAt || calendars || schedule.kind === 'fixed-delay') return null;
    start = nextFire(parseSchedule(schedule, { seed: name }), new Date(pause.untilAt.getTime() - 1));
  }
  return null;
}
