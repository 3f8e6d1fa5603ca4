import { EscapementError, type TaskDefinition, taskDefinition } from '@escapement/core';
import {
  type CalendarSpec,
  jitterOf,
  nextFire,
  occurrencesOf,
  parseCalendar,
  parseSchedule,
} from '@escapement/core/schedule';
import type { TaskModule } from '../define-task.ts';

export interface FiresOptions {
  /** The first fire is after it. */
  from: Date | string;
  /** How many at most. Default 5. */
  count?: number | undefined;
  /** The calendars that the task names, as the fleet would have them. */
  calendars?: Readonly<Record<string, CalendarSpec>> | undefined;
}

export interface Fire {
  /** The instant the run is about. */
  scheduledFor: Date;
  /** When it may start: later by the jitter. */
  dueAt: Date;
  /** Why it is skipped, by a calendar; null: it is not. */
  excluded: string | null;
}

/**
 * When a task is due next: as a fleet plans it, jitter and `H` included, fewer where the schedule ends. Of a fixed delay as
 * if its runs took no time. Throws `unknown_calendar` where the task names one that was not given.
 */
export function fires(task: Pick<TaskModule, 'toDefinition'>, options: FiresOptions): Fire[] {
  const definition = taskDefinition.parse(task.toDefinition());
  const schedule = parseSchedule(definition.schedule, { seed: definition.name });
  const { next, excluded } = occurrences(definition, options.calendars ?? {});
  const found: Fire[] = [];
  let at = next(instantOf(options.from));
  while (at && found.length < (options.count ?? 5)) {
    const dueAt = new Date(at.getTime() + jitterOf(schedule, at, definition.name));
    found.push({ scheduledFor: at, dueAt, excluded: excluded(at) });
    at = next(at);
  }
  return found;
}

function occurrences(
  { name, schedule, calendars: use }: TaskDefinition,
  given: NonNullable<FiresOptions['calendars']>,
) {
  const parsed = parseSchedule(schedule, { seed: name });
  if (parsed.kind === 'fixed-delay') return { next: (after: Date) => nextFire(parsed, after), excluded: () => null };
  const calendars = (use?.exclude ?? []).map((calendar) => {
    const found = given[calendar];
    if (found) return parseCalendar(calendar, found);
    throw new EscapementError('unknown_calendar', `task ${name} names the calendar "${calendar}", which is not given`, {
      fix: `pass it: fires(task, { calendars: { ${JSON.stringify(calendar)}: { ... } } })`,
    });
  });
  return occurrencesOf(parsed, calendars, use);
}

function instantOf(from: Date | string): Date {
  const instant = new Date(from);
  if (!Number.isNaN(instant.getTime())) return instant;
  throw new EscapementError('bad_date', `fires: from is ${String(from)}`, { fix: 'give a Date, or ISO 8601 text' });
}
