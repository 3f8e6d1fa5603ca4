import { EscapementError, nearest, type TaskDefinition } from '@escapement/core';
import {
  type CalendarSpec,
  type CalendarUse,
  ifReadable,
  type Occurrences,
  occurrencesOf,
  parseCalendar,
  parseSchedule,
  type Schedule,
} from '@escapement/core/schedule';
import { type Database, listCalendars } from '@escapement/store';

/** When a task is due, with its calendars. Throws `unknown_calendar` where one of them is not there. */
export function taskOccurrences(
  schedule: Schedule,
  use: CalendarUse | undefined,
  stored: readonly { name: string; definition: CalendarSpec }[],
): Occurrences {
  if (!use) return occurrencesOf(schedule);
  const calendars = use.exclude.map((name) => {
    const found = stored.find((each) => each.name === name);
    if (!found) throw unknownCalendar(name, stored);
    return parseCalendar(name, found.definition);
  });
  return occurrencesOf(schedule, calendars, use);
}

/** When a task is due, with the calendars as they are in force. Throws `unknown_calendar`. */
export async function readOccurrences(db: Database, { name, schedule, calendars }: Scheduled): Promise<Occurrences> {
  const parsed = parseSchedule(schedule, { seed: name });
  return taskOccurrences(parsed, calendars, calendars ? await listCalendars(db) : []);
}

type Scheduled = Pick<TaskDefinition, 'name' | 'schedule' | 'calendars'>;

/** The same of a definition that is there already; undefined: this machine cannot read it. */
export async function occurrencesInForce(
  db: Database,
  { name, schedule, calendars }: Scheduled,
): Promise<Occurrences | undefined> {
  const stored = calendars ? await listCalendars(db) : [];
  return ifReadable(() => taskOccurrences(parseSchedule(schedule, { seed: name }), calendars, stored));
}

/** There is no such calendar; the nearest of those that are there is suggested. */
export function unknownCalendar(name: string, stored: readonly { name: string }[]): EscapementError {
  const near = nearest(
    name,
    stored.map((each) => each.name),
  );
  return new EscapementError('unknown_calendar', `there is no calendar "${name}"`, {
    fix: near ? `did you mean ${near}?` : 'see `escapement calendars list`',
  });
}
