import { counted } from '@escapement/core';
import { type Database, tasksAskingLate } from '@escapement/store';
import { type Finding, warning } from './finding.ts';

const NAMED = 5;

/** Tasks whose runs ask for their next run at a date that has passed: such a task runs without a break. */
export async function examineNextDates(db: Database): Promise<Finding[]> {
  const names = await tasksAskingLate(db);
  if (names.length === 0) return [];
  const more = names.length > NAMED ? ', ...' : '';
  const tasks = `${names.slice(0, NAMED).join(', ')}${more}`;
  return [
    warning(
      'Next runs',
      `${counted(names.length, 'task asks', 'tasks ask')} for a next run at a date that has passed, and so runs once a second (${tasks})`,
      'let the handler give a date ahead to `ctx.scheduleNext` (the field `next` of a command or an answer); the log of each run has the date',
    ),
  ];
}
