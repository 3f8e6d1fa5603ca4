import { EscapementError, type Json, planningRules } from '@escapement/core';
import {
  type Database,
  type DueTask,
  occurrencesKnown,
  planRuns,
  type StoredCalendar,
  type Task,
} from '@escapement/store';
import { planTask } from './plan-task.ts';

/** Makes the rows of what is due before `from` under the present definition. True: there was something, read again. */
export async function planBeforeEdit(
  db: Database,
  task: Task,
  { now, from }: { now: Date; from: Date },
  calendars: readonly StoredCalendar[],
): Promise<boolean> {
  if (!task.nextRunAt || task.nextRunAt >= from) return false;
  const { definition } = task;
  const due: DueTask = {
    ...task,
    nextRunAt: task.nextRunAt,
    schedule: definition.schedule,
    keyTemplate: definition.key ?? task.name,
    pool: definition.pool,
    payload: definition.payload as Json | undefined,
    rules: planningRules.parse(definition),
    calendars: [...calendars],
    misfiredBefore: false,
    ...(await occurrencesKnown(db, task)),
  };
  const plan = planIfPossible(due, now, from.getTime() - 1 - now.getTime());
  if (!plan) return false;
  await planRuns(db, [plan.move], plan.rows);
  return true;
}

/** What is due under the old definition cannot be told where it cannot be planned: that must not keep a better one from being saved. */
function planIfPossible(due: DueTask, now: Date, aheadMs: number): ReturnType<typeof planTask> {
  try {
    return planTask(due, now, { horizonMs: aheadMs, repeatable: { fromMs: 0, toMs: 0 } });
  } catch (error) {
    if (error instanceof EscapementError) return undefined;
    throw error;
  }
}
