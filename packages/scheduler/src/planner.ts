import type { Clock, Emit, RepeatRange } from '@escapement/core';
import { planTask } from '@escapement/operations';
import { createLoop, type Loop } from '@escapement/service';
import {
  type Database,
  type DueTask,
  dueTasks,
  notePlanError,
  type PlannedRun,
  planRuns,
  type TaskMove,
} from '@escapement/store';
import type { Dispatcher } from './dispatcher.ts';

const WAIT_MS = 1000;
/**
 * Small batches with pauses between them, so that planning ahead does not delay the runs that are due now: it rests for
 * twice as long as it worked.
 */
const AHEAD = { tasks: 25, rowsPerStatement: 50 };
const URGENT = { tasks: 500, rowsPerStatement: 250 };
const PAUSE_MS = 25;
const REST_PER_WORK = 2;
/** What is due sooner than this share of the horizon is planned without pauses. */
const URGENT_SHARE = 0.2;

export interface PlannerOptions {
  db: Database;
  dispatcher: Pick<Dispatcher, 'enqueue'>;
  clock: Clock;
  /** How far ahead rows are made. Milliseconds. */
  horizonMs: number;
  /** Steady intervals of this range are started by repeats. */
  repeatable: RepeatRange;
  /** Whether this process' clock may be trusted with work. */
  mayWork: () => boolean;
  emit: Emit;
  onError: (error: unknown) => void;
  /** Told of each complete pass. */
  onPass: () => void;
}

/**
 * Makes the rows of due tasks. Any number of planners may run: the compare-and-set on a task's plan_seq and the
 * unique key of occurrences decide between them. A task whose planning throws backs off alone.
 */
export function createPlanner(options: PlannerOptions): Loop {
  const { db, dispatcher, clock, horizonMs, emit } = options;

  let batch = AHEAD;

  async function runOnce(): Promise<number> {
    if (!options.mayWork()) return WAIT_MS;
    const startedMs = clock.monotonicMs();
    // Tasks are taken when they are due within half the horizon and planned up to all of it, so that a task that
    // fires every second is moved every few seconds, not every second.
    const due = await dueTasks(db, { horizonMs: horizonMs / 2, limit: batch.tasks });
    const planned = due.now ? await planAll(due.tasks, due.now) : 0;
    options.onPass();
    if (due.tasks.length > 0)
      emit({
        event: 'planned',
        tasks: due.tasks.length,
        runs: planned,
        tookMs: Math.round(clock.monotonicMs() - startedMs),
      });
    return nextPassMs(due, clock.monotonicMs() - startedMs);
  }

  function nextPassMs({ tasks, now }: Awaited<ReturnType<typeof dueTasks>>, tookMs: number): number {
    const first = tasks[0];
    const more = first !== undefined && now !== undefined && tasks.length === batch.tasks;
    const urgent = more && first.nextRunAt.getTime() - now.getTime() < horizonMs * URGENT_SHARE;
    batch = urgent ? URGENT : AHEAD;
    if (!more) return WAIT_MS;
    return urgent ? 0 : Math.max(PAUSE_MS, REST_PER_WORK * tookMs);
  }

  async function planAll(tasks: readonly DueTask[], now: Date): Promise<number> {
    let moves: TaskMove[] = [];
    let rows: PlannedRun[] = [];
    let planned = 0;
    // Jobs are added while the next rows are written.
    let enqueued: Promise<unknown> = Promise.resolve();
    async function flush(): Promise<void> {
      if (moves.length === 0) return;
      const { runs, planned: made } = await planRuns(db, moves, rows);
      planned += made;
      moves = [];
      rows = [];
      enqueued = Promise.all([enqueued, dispatcher.enqueue(runs)]);
    }
    for (const task of tasks) {
      const plan = await tryPlan(task, now);
      if (!plan) continue;
      moves.push(plan.move);
      rows.push(...plan.rows);
      if (rows.length >= batch.rowsPerStatement) await flush();
    }
    await flush();
    await enqueued;
    return planned;
  }

  async function tryPlan(task: DueTask, now: Date): Promise<{ move: TaskMove; rows: PlannedRun[] } | undefined> {
    try {
      return planTask(task, now, options);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      emit({ event: 'plan_failed', task: task.name, error });
      await notePlanError(db, task, error.message);
      return undefined;
    }
  }

  return createLoop({ name: 'planner', runOnce, onError: options.onError, minWaitMs: 20 });
}
