import { setImmediate as nextTurn } from 'node:timers/promises';
import { counted, DAY, MINUTE } from '@escapement/core';
import { ifReadable, type Occurrences, parseSchedule } from '@escapement/core/schedule';
import { type Database, listCalendars, tasksWithCalendars } from '@escapement/store';
import { taskOccurrences } from '../tasks/task-occurrences.ts';
import { type Finding, problem } from './finding.ts';

/** What is left out for so long, and of so many instants, is taken for left out for good. */
const AHEAD_MS = 366 * DAY;
const LEAST_LOOKED_AT = 10;
/** After so many instants, the next ones are looked at so far apart: at each minute of an hour in its turn. */
const ONE_BY_ONE = 1000;
const APART_MS = 61 * MINUTE;
/** Tasks that are looked at before others have their turn. */
const AT_ONCE = 20;
const NAMED = 5;

/** Tasks that never run, because their calendars leave out every instant of their schedules. */
export async function examineCalendars(db: Database, now: Date): Promise<Finding[]> {
  const tasks = await tasksWithCalendars(db);
  const stored = tasks.length === 0 ? [] : await listCalendars(db);
  const leftOut: string[] = [];
  for (const [index, { name, schedule, calendars }] of tasks.entries()) {
    const occurrences = ifReadable(() => taskOccurrences(parseSchedule(schedule, { seed: name }), calendars, stored));
    if (occurrences && isLeftOut(occurrences, now)) leftOut.push(name);
    if (index % AT_ONCE === 0) await nextTurn();
  }
  return judgeLeftOut(leftOut);
}

/** Whether no instant ahead runs, as far as is looked. */
export function isLeftOut({ next, excluded }: Occurrences, now: Date): boolean {
  const until = now.getTime() + AHEAD_MS;
  let at = next(now);
  if (at === null) return false;
  for (let looked = 0; at !== null && (at.getTime() < until || looked < LEAST_LOOKED_AT); looked++) {
    if (excluded(at) === null) return false;
    at = next(looked < ONE_BY_ONE ? at : new Date(at.getTime() + APART_MS));
  }
  return true;
}

function judgeLeftOut(names: readonly string[]): Finding[] {
  if (names.length === 0) return [];
  const more = names.length > NAMED ? ', ...' : '';
  return [
    problem(
      'Calendars',
      `${counted(names.length, 'task never runs', 'tasks never run')}: calendars leave out all that is due within a year (${names.slice(0, NAMED).join(', ')}${more})`,
      'change the calendars or the schedules, or pause what is not to run',
    ),
  ];
}
