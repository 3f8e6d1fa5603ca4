import { setImmediate as nextTurn } from 'node:timers/promises';
import { DAY } from '@escapement/core';
import {
  type Calendar,
  type CalendarDay,
  type CalendarSpec,
  calendarDays,
  ifReadable,
  type Occurrences,
  occurrencesOf,
  parseCalendar,
  parseSchedule,
} from '@escapement/core/schedule';
import { type Database, findTask, listCalendars, type Task, tasksUsing } from '@escapement/store';
import { checkCalendar } from './calendars.ts';
import { taskOccurrences } from './tasks/task-occurrences.ts';
import { zoneOf } from './tasks/task-status.ts';

/** What a calendar excludes. */
export interface CalendarEffect {
  year: number;
  /** The days of the year of which it excludes something, in its own zone. */
  days: CalendarDay[];
  /** Of tasks that use it the first ones, by name. */
  tasks: CalendarEffectOnTask[];
  /** How many use it. */
  taskCount: number;
}

/** What it takes out of the next occurrences of a task. */
export interface CalendarEffectOnTask {
  id: string;
  name: string;
  /** On whose clock its schedule is; null: on none. */
  timeZone: string | null;
  /** To which day an occurrence is moved; null: it is skipped. */
  shift: 'next' | 'previous' | null;
  /** The next occurrences of its schedule that are in the calendar. */
  leftOut: { at: Date; reason: string }[];
  /** When it runs next, with all its calendars. */
  next: Date[];
}

const MOST_TASKS = 50;
const MOST_LEFT_OUT = 5;
const MOST_NEXT = 3;
/** Occurrences of a schedule that are looked at, and how far ahead. */
const MOST_LOOKED_AT = 1000;
const AHEAD_MS = 366 * DAY;

/**
 * What a calendar as it is given excludes: from a year, and from the tasks that use the one of its name. Reads only. Throws
 * `EscapementError` for a bad one.
 */
export async function calendarEffect(
  db: Database,
  { name, definition }: { name: string; definition: CalendarSpec },
  { year, now }: { year: number; now: Date },
): Promise<CalendarEffect> {
  const checked = checkCalendar(name, definition);
  const calendar = parseCalendar(name, checked);
  const users = await tasksUsing(db, name);
  const stored = (await listCalendars(db)).filter((each) => each.name !== name);
  const calendars = [...stored, { name, definition: checked }];
  const tasks: CalendarEffectOnTask[] = [];
  for (const user of users.slice(0, MOST_TASKS)) {
    const task = await findTask(db, user);
    if (task) tasks.push(onTask(task, { calendar, calendars, now }));
    await nextTurn();
  }
  return { year, days: calendarDays(calendar, year), tasks, taskCount: users.length };
}

interface Ahead {
  calendar: Calendar;
  calendars: readonly { name: string; definition: CalendarSpec }[];
  now: Date;
}

function onTask({ id, name, definition, nextRunAt }: Task, { calendar, calendars, now }: Ahead): CalendarEffectOnTask {
  // One that has ended is never due again.
  const from = nextRunAt === null ? null : now;
  const due = ifReadable(() => {
    const schedule = parseSchedule(definition.schedule, { seed: name });
    return { all: occurrencesOf(schedule), kept: taskOccurrences(schedule, definition.calendars, calendars) };
  });
  return {
    id,
    name,
    timeZone: zoneOf(definition.schedule) ?? null,
    shift: definition.calendars?.shift ?? null,
    leftOut: due ? leftOut(due.all, calendar, from) : [],
    next: due ? runsOf(due.kept, from) : [],
  };
}

/** What the calendar has of a schedule's occurrences as they are before any is moved. */
function leftOut(all: Occurrences, calendar: Calendar, from: Date | null): CalendarEffectOnTask['leftOut'] {
  const found: CalendarEffectOnTask['leftOut'] = [];
  for (const at of ahead(all, from)) {
    const reason = calendar.reasonAt(at);
    if (reason !== null) found.push({ at, reason });
    if (found.length === MOST_LEFT_OUT) break;
  }
  return found;
}

function runsOf(occurrences: Occurrences, from: Date | null): Date[] {
  const found: Date[] = [];
  for (const at of ahead(occurrences, from)) {
    if (occurrences.excluded(at) === null) found.push(at);
    if (found.length === MOST_NEXT) break;
  }
  return found;
}

function* ahead({ next }: Occurrences, from: Date | null): Generator<Date> {
  let at = from && next(from);
  for (let looked = 0; at && from && looked < MOST_LOOKED_AT; looked++, at = next(at)) {
    if (at.getTime() - from.getTime() > AHEAD_MS) return;
    yield at;
  }
}
