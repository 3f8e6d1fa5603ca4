import { isDeepStrictEqual } from 'node:util';
import { type By, briefly, EscapementError } from '@escapement/core';
import { calendarsOfRoutes } from '@escapement/core/alerts';
import {
  type CalendarSpec,
  calendarName,
  calendarSpec,
  ifReadable,
  parseCalendar,
  parseSchedule,
} from '@escapement/core/schedule';
import {
  type Database,
  deleteCalendar as endCalendar,
  findTask,
  listCalendars,
  pingDatabase,
  type StoredCalendar,
  saveCalendarVersion,
  type Task,
  tasksUsing,
} from '@escapement/store';
import { alertingInForce } from './alerts/alerts.ts';
import { permitInNamespace } from './rights/permit.ts';
import { planBeforeEdit } from './tasks/plan-before-edit.ts';
import { taskOccurrences, unknownCalendar } from './tasks/task-occurrences.ts';

/** Times a save starts over because planners or other people changed a task meanwhile. */
const MAX_RACES = 20;

export type CalendarSaveResult =
  | { kind: 'created' | 'updated'; version: number; tasks: string[] }
  | { kind: 'unchanged'; version: number; tasks: string[] };

/**
 * Checks and saves a calendar; the tasks that use it are planned anew from now on, and nothing changes for what was
 * due before. Saving what is there already changes nothing. Throws `EscapementError` for a bad one.
 */
export async function saveCalendar(
  db: Database,
  name: string,
  input: CalendarSpec,
  by: By,
): Promise<CalendarSaveResult> {
  return await replaceCalendar(db, { name, definition: input }, by, () => undefined);
}

/**
 * The same, in the place of a version that one has seen. `guard` is asked with the version in force, 0 where there is none; what it throws keeps
 * the calendar from being saved.
 */
export async function replaceCalendar(
  db: Database,
  { name, definition: input }: { name: string; definition: CalendarSpec },
  by: By,
  guard: (version: number) => void,
): Promise<CalendarSaveResult> {
  await permitOnCalendar(db, by, { name, action: 'save' });
  const definition = checkCalendar(name, input);
  for (let race = 0; race < MAX_RACES; race++) {
    const stored = await listCalendars(db);
    const current = stored.find((each) => each.name === name);
    guard(current?.version ?? 0);
    const users = await tasksUsing(db, name);
    if (current && isDeepStrictEqual(current.definition, definition))
      return { kind: 'unchanged', version: current.version, tasks: users };
    const { now } = await pingDatabase(db);
    const edited = [...stored.filter((each) => each.name !== name), { name, definition }];
    const tasks = await replan(db, users, { now, stored, edited });
    if (!tasks) continue;
    const version = await saveCalendarVersion(db, {
      name,
      definition,
      by,
      expectedVersion: current?.version ?? null,
      effectiveAt: now,
      tasks,
    });
    if (version !== null) return { kind: current ? 'updated' : 'created', version, tasks: users };
  }
  throw new EscapementError('save_races', `the tasks of calendar ${name} kept changing while it was saved`, {
    fix: 'try again',
  });
}

/** A calendar moves all tasks that use it, whosever they are. */
async function permitOnCalendar(
  db: Database,
  by: By,
  { name, action }: { name: string; action: string },
): Promise<void> {
  await permitInNamespace(db, by, 'edit', { action, subject: { calendar: name }, what: `calendar ${name}` });
}

/** A calendar with this name, checked without a database. Throws `bad_calendar_name`, `calendar_invalid`. */
export function checkCalendar(name: string, input: CalendarSpec): CalendarSpec {
  const named = calendarName.safeParse(name);
  const [badName] = named.success ? [] : named.error.issues;
  const invalid = problemOf(() => parseCalendar(name, input));
  if (badName) {
    const also = invalid ? `; and ${invalid.message}` : '';
    throw new EscapementError('bad_calendar_name', `a calendar cannot be called "${name}"${also}`, {
      fix: badName.message,
    });
  }
  if (invalid) throw invalid;
  return calendarSpec.parse(input);
}

function problemOf(check: () => unknown): EscapementError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof EscapementError) return error;
    throw error;
  }
}

interface Replan {
  now: Date;
  stored: readonly StoredCalendar[];
  edited: readonly { name: string; definition: CalendarSpec }[];
}

/** Where each task goes on under the edited calendar. Undefined: one of them changed meanwhile. */
async function replan(
  db: Database,
  names: readonly string[],
  { now, stored, edited }: Replan,
): Promise<{ id: string; planSeq: number; nextRunAt: Date | null }[] | undefined> {
  const tasks: { id: string; planSeq: number; nextRunAt: Date | null }[] = [];
  for (const name of names) {
    const task = await findTask(db, name);
    if (!task || (await planBeforeEdit(db, task, { now, from: now }, stored))) return undefined;
    tasks.push({ id: task.id, planSeq: task.planSeq, nextRunAt: nextAfterEdit(task, now, edited) });
  }
  return tasks;
}

function nextAfterEdit(task: Task, now: Date, edited: Replan['edited']): Date | null {
  const { name, definition, nextRunAt, effectiveAt } = task;
  const schedule = ifReadable(() => parseSchedule(definition.schedule, { seed: name }));
  // The planner says what is wrong with it.
  if (!schedule) return nextRunAt;
  // Counted from the end of a run: the calendar changes whether it runs, not when it is due. One that has ended, ends.
  if (schedule.kind === 'fixed-delay' || nextRunAt === null) return nextRunAt;
  // The instant itself counts. A definition that was saved ahead counts from its own on.
  const from = Math.max(now.getTime(), effectiveAt.getTime());
  return taskOccurrences(schedule, definition.calendars, edited).next(new Date(from - 1));
}

/** Deletes a calendar. Throws `calendar_in_use` where tasks or routes of alerts use it, `unknown_calendar`. */
export async function deleteCalendar(db: Database, name: string, by: By): Promise<void> {
  await permitOnCalendar(db, by, { name, action: 'delete' });
  const { routes } = (await alertingInForce(db)).definition;
  if (calendarsOfRoutes(routes).includes(name))
    throw new EscapementError('calendar_in_use', `calendar ${name} closes a route of alerts`, {
      fix: 'take it out of there first: `escapement alerts get`',
    });
  if (await endCalendar(db, name, by)) return;
  const users = await tasksUsing(db, name);
  const stored = await listCalendars(db);
  if (!stored.some((each) => each.name === name)) throw unknownCalendar(name, stored);
  throw new EscapementError('calendar_in_use', `calendar ${name} is used by ${briefly(users)}`, {
    fix: 'take it out of these tasks first',
  });
}
