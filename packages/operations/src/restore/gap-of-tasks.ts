import type { Database } from '@escapement/store';
import { dueTasks } from '@escapement/store';
import { planTask } from '../tasks/plan-task.ts';

/** What of a task was due since a copy of the ledger was taken. */
export interface GapOfTask {
  task: string;
  occurrences: number;
  /** So many of them its catch-up policy would run, or hold for a person. */
  wouldRun: number;
  catchUp: string;
}

/** Tasks that are looked at. */
const MOST = 10_000;

/** What schedulers would plan first of all if they were started now, of up to 10,000 tasks. Changes nothing. */
export async function gapOfTasks(db: Database): Promise<{ tasks: GapOfTask[]; all: boolean }> {
  const { now, tasks } = await dueTasks(db, { horizonMs: 0, limit: MOST });
  if (!now) return { tasks: [], all: true };
  const found = tasks.flatMap((task) => {
    const rows = planTask(task, now, { horizonMs: 0, repeatable: NEVER })?.rows ?? [];
    const due = rows.filter(({ scheduledFor }) => scheduledFor <= now);
    if (due.length === 0) return [];
    const running = due.filter(({ state }) => state === 'planned' || state === 'held');
    const catchUp = task.rules.catchUp?.policy ?? 'default';
    return [{ task: task.name, occurrences: sumOf(due), wouldRun: sumOf(running), catchUp }];
  });
  return { tasks: found.sort((a, b) => b.occurrences - a.occurrences), all: tasks.length < MOST };
}

const NEVER = { fromMs: Number.POSITIVE_INFINITY, toMs: 0 };

function sumOf(rows: readonly { occurrences: number }[]): number {
  return rows.reduce((sum, { occurrences }) => sum + occurrences, 0);
}
