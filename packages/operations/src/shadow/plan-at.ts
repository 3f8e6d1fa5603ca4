import { type Database, listCalendars, pingDatabase, type SeenAt, type Task } from '@escapement/store';
import { planBeforeEdit } from '../tasks/plan-before-edit.ts';
import { taskOccurrences } from '../tasks/task-occurrences.ts';
import { scheduleOf } from './line-tasks.ts';

/**
 * Where a task goes on when who runs it changes: what was due before has its rows. Undefined: rows were made, or somebody else was at it; read
 * the task again.
 */
export async function planAt(db: Database, task: Task): Promise<SeenAt | undefined> {
  const { now } = await pingDatabase(db);
  const calendars = await listCalendars(db);
  if (await planBeforeEdit(db, task, { now, from: now }, calendars)) return undefined;
  const { id, name, planSeq, nextRunAt, effectiveAt, definition } = task;
  // A definition that was saved ahead counts from its own instant on; the instant itself counts.
  const from = Math.max(now.getTime(), effectiveAt.getTime()) - 1;
  const next = () => taskOccurrences(scheduleOf(task), definition.calendars, calendars).next(new Date(from));
  return { id, name, planSeq, now, nextRunAt: nextRunAt && next() };
}
