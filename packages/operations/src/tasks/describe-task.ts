import type { StateOfTask } from '@escapement/core';
import { redactUnknownDefinition } from '@escapement/core/mask';
import {
  type Database,
  findTaskChange,
  listCalendars,
  type StoredCalendar,
  type Task,
  type TaskChange,
} from '@escapement/store';
import { type PoolView, showPool } from '../pools.ts';
import { type WaitsForWorker, whyTaskWaits } from '../unserved.ts';
import { type WorkerOfTask, workersOfTask } from '../workers.ts';
import { type TaskView, taskState, taskView } from './task-status.ts';

/** Everything about a task. */
export interface TaskDescription extends TaskView {
  state: StateOfTask;
  /** The same in words. */
  stateWords: string;
  /** A definition that counts from a later instant on; null: there is none. */
  change: TaskChange | null;
  /** The pool of its runs, and why they wait there; `waits` null: a living worker can take them. */
  pool: PoolView & { waits: WaitsForWorker | null };
  /** The calendars that it goes by, as they are in force. */
  calendars: Pick<StoredCalendar, 'name' | 'definition'>[];
  /** Of a task that runs on every worker: on which; null: it does not. */
  workers: WorkerOfTask[] | null;
}

/** Reads what belongs to a task. `deadMs`: by what a worker is taken for dead. */
export async function describeTask(
  db: Database,
  task: Task,
  { deadMs, now }: { deadMs: number; now: Date },
): Promise<TaskDescription> {
  const fleet = { deadMs };
  const [change, pool, workers, calendars] = await Promise.all([
    findTaskChange(db, task.name),
    showPool(db, task.definition.pool, fleet),
    workersOfTask(db, task, fleet),
    listCalendars(db, task.definition.calendars?.exclude ?? []),
  ]);
  const waits = workers ? null : await whyTaskWaits(db, task.name, fleet);
  const { state, words } = taskState(task, now);
  return {
    ...taskView(task),
    state,
    stateWords: words,
    change: change && { ...change, definition: redactUnknownDefinition(change.definition) },
    pool: { ...pool, waits },
    calendars: calendars.map(({ name, definition }) => ({ name, definition })),
    workers,
  };
}
