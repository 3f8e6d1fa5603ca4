import type { Json } from '@escapement/core';
import { planningRules } from '@escapement/core/plan';
import {
  type Database,
  type DueTask,
  isDataFault,
  occurrencesKnown,
  planRuns,
  type StoredCalendar,
  type Task,
} from '@escapement/store';
import { planTask } from './plan-task.ts';

/**
 * Makes the rows of what is due before `from` under the present definition. True: there was something, read again. If a value of the task
 * keeps it from being planned there are no such rows: that must keep neither a better definition from being saved nor the task from being
 * deleted.
 */
export async function planBeforeEdit(
  db: Database,
  task: Task,
  range: { now: Date; from: Date },
  calendars: readonly StoredCalendar[],
): Promise<boolean> {
  const { nextRunAt } = task;
  if (!nextRunAt || nextRunAt >= range.from) return false;
  try {
    const plan = planUpTo(await dueTask(db, { ...task, nextRunAt }, calendars), range);
    if (plan) await planRuns(db, [plan.move], plan.rows);
    return plan !== undefined;
  } catch (error) {
    if (isDataFault(error)) return false;
    throw error;
  }
}

async function dueTask(
  db: Database,
  task: Task & { nextRunAt: Date },
  calendars: readonly StoredCalendar[],
): Promise<DueTask> {
  const { definition } = task;
  return {
    ...task,
    schedule: definition.schedule,
    keyTemplate: definition.key ?? task.name,
    pool: definition.pool,
    payload: definition.payload as Json | undefined,
    rules: planningRules.parse(definition),
    calendars: [...calendars],
    ...(await occurrencesKnown(db, task)),
  };
}

function planUpTo(due: DueTask, { now, from }: { now: Date; from: Date }): ReturnType<typeof planTask> {
  const horizonMs = from.getTime() - 1 - now.getTime();
  return planTask(due, now, { horizonMs, repeatable: { fromMs: 0, toMs: 0 } });
}
