import type { TaskDefinition } from '@escapement/core';
import { type Pause, pauseAt } from '@escapement/core/plan';
import {
  type CalendarSpec,
  ifReadable,
  type Occurrences,
  occurrencesOf,
  parseCalendar,
  parseSchedule,
} from '@escapement/core/schedule';

/** Pauses that follow each other, and occurrences that calendars leave out. */
const MAX_PASSED = 1000;

type Scheduled = Pick<TaskDefinition, 'name' | 'schedule' | 'calendars'>;

/** What keeps occurrences of a task from running. */
export interface Hindrances {
  /** Of the task, freezes of the fleet, and the times in which cron runs its line. */
  pauses: readonly Pause[];
  /** Those the task uses, as they are in force. */
  calendars: readonly { name: string; definition: CalendarSpec }[];
}

/**
 * When a task starts next, whose next occurrence is at `at`; null: never, as far as is known. What falls into a pause, a freeze or
 * the shadow of cron is skipped: then it is the first occurrence after it, unless the end of a run decides that.
 */
export function nextStart(task: Scheduled, at: Date | null, hindrances: Hindrances): Date | null {
  let occurrences: Occurrences | undefined;
  let start = at;
  for (let passed = 0; start && passed < MAX_PASSED; passed++) {
    const pause = pauseAt(hindrances.pauses, start);
    if (!pause && !task.calendars) return start;
    if (pause && !pause.untilAt) return null;
    occurrences ??= readable(task, hindrances);
    if (!occurrences) return null;
    if (!pause && occurrences.excluded(start) === null) return start;
    start = occurrences.next(pause?.untilAt ? new Date(pause.untilAt.getTime() - 1) : start);
  }
  return null;
}

function readable({ name, schedule, calendars }: Scheduled, hindrances: Hindrances): Occurrences | undefined {
  return ifReadable(() => {
    const excluded = hindrances.calendars.map((each) => parseCalendar(each.name, each.definition));
    return occurrencesOf(parseSchedule(schedule, { seed: name }), excluded, calendars);
  });
}
