import { setImmediate as nextTurn } from 'node:timers/promises';
import { DAY, nearestInstant, span } from '@escapement/core';
import { type CalendarEvent, type ForecastTask, runsAhead, toICalendar } from '@escapement/core/forecast';
import { describeSchedule } from '@escapement/core/schedule';
import type { Database, ForecastFilter } from '@escapement/store';
import { requirePool } from '../pools.ts';
import { readForecastTasks } from './read-forecast.ts';

export interface CalendarAsked extends ForecastFilter {
  from: Date;
  days: number;
  /** Tasks that run more often are left out. */
  mostADay: number;
  /** Only of tasks whose runs have this key. */
  key?: string | undefined;
  now: Date;
}

export interface TaskCalendar {
  /** An iCalendar (RFC 5545). */
  text: string;
  events: CalendarEvent[];
  /** Tasks that are not in it, and why. */
  left: { tooOften: string[]; untimed: string[]; unplannable: string[] };
}

/** What will run, for the calendars of people. Throws `unknown_pool`, `unknown_key`. */
export async function calendarOfTasks(db: Database, asked: CalendarAsked): Promise<TaskCalendar> {
  const { from, days, mostADay, now, ...filter } = asked;
  if (filter.pool !== undefined) await requirePool(db, filter.pool);
  const { tasks, unplannable } = await readForecastTasks(db, filter);
  const left: TaskCalendar['left'] = { tooOften: [], untimed: [], unplannable };
  const events: CalendarEvent[] = [];
  const to = nearestInstant(from.getTime() + days * DAY);
  for (const { task, at } of runsAhead(tasks, { from, to }, mostADay * days)) {
    if (at === 'untimed') left.untimed.push(task.name);
    else if (at === 'too many') left.tooOften.push(task.name);
    else for (const due of at) events.push(eventOf(task, new Date(due), db.namespace));
    await nextTurn();
  }
  events.sort((one, other) => one.at.getTime() - other.at.getTime());
  return { text: toICalendar(events, { name: `Escapement (${db.namespace})`, now }), events, left };
}

/** Shown as long as half of the runs of the task take at most; a minute, where that is not known. */
const UNKNOWN_MS = 60_000;

function eventOf({ name, schedule, pool, took }: ForecastTask, at: Date, namespace: string): CalendarEvent {
  const length =
    took === null
      ? 'not known how long it takes'
      : `half of its runs take ${span(took.p50Ms)} at most, 95 % ${span(took.p95Ms)}`;
  return {
    uid: `${name}-${at.getTime()}@${namespace}.escapement`,
    at,
    lengthMs: took?.p50Ms ?? UNKNOWN_MS,
    summary: name,
    description: `${describeSchedule(schedule)}\npool ${pool}\n${length}`,
    category: pool,
  };
}
