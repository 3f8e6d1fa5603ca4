import type { Clock, Emit, RepeatRange } from '@escapement/core';
import type { AwayDuring } from '@escapement/core/plan';
import { planTask } from '@escapement/operations';
import { createLoop, type Loop } from '@escapement/service';
import { type Database, type DueTask, dueTasks, notePlanError } from '@escapement/store';
import type { Dispatcher } from './dispatcher.ts';
import { type Made, type TaskPlan, writePlans } from './write-plans.ts';

const WAIT_MS = 1000;
/**
 * Small batches with pauses between them, so that planning ahead does not delay the runs that are due now: it rests for
 * twice as long as it worked. What it has planned goes to the queue together, so that runs that are due together share a job.
 */
const AHEAD = { tasks: 100, rowsPerStatement: 250, statements: 1, runsPerEnqueue: 2000 };
/** A crowd that is due has two statements under way: while Postgres writes one, the rows of the next are made. */
const URGENT = { tasks: 500, rowsPerStatement: 250, statements: 2, runsPerEnqueue: 1 };
const PAUSE_MS = 25;
const REST_PER_WORK = 2;
/** With more due at once than fits into a batch: what is due within so long is planned beside it, so that it is not late too. */
const SOON = { ms: 1000, tasks: 100 };
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
  /** Which servers were away, for the reasons of what misfired. Default: not known. */
  away?: AwayDuring;
  /** Whether this process' clock may be trusted with work. */
  mayWork: () => boolean;
  emit: Emit;
  onError: (error: unknown) => void;
  /** Told of each complete pass. */
  onPass: () => void;
}

type Due = Awaited<ReturnType<typeof dueTasks>>;

/**
 * Makes the rows of due tasks. Any number of planners may run: the compare-and-set on a task's plan_seq and the
 * unique key of occurrences decide between them. A task whose planning throws backs off alone.
 */
export function createPlanner(options: PlannerOptions): Loop {
  const { db, clock, horizonMs, emit } = options;

  let batch = AHEAD;

  async function runOnce(): Promise<number> {
    if (!options.mayWork()) return WAIT_MS;
    const startedMs = clock.monotonicMs();
    // Tasks are taken when they are due within half the horizon and planned up to all of it, so that a task that
    // fires every second is moved every few seconds, not every second.
    const due = await dueTasks(db, { horizonMs: horizonMs / 2, limit: batch.tasks });
    const tasks = [...(await dueSoon(due)), ...due.tasks];
    const { planned, runs } = due.now ? await planAll(tasks, due.now) : NOTHING;
    options.onPass();
    if (tasks.length > 0)
      emit({
        event: 'planned',
        tasks: tasks.length,
        runs: planned,
        jobs: runs,
        tookMs: Math.round(clock.monotonicMs() - startedMs),
      });
    return nextPassMs(due, clock.monotonicMs() - startedMs);
  }

  /** Those that are about to be due, while a crowd that is due before them is not all planned yet. */
  async function dueSoon({ tasks, now }: Due): Promise<DueTask[]> {
    const last = tasks.at(-1);
    if (batch !== URGENT || !now || !last || tasks.length < batch.tasks) return [];
    const after = new Date(Math.max(last.nextRunAt.getTime(), now.getTime()));
    return (await dueTasks(db, { horizonMs: SOON.ms, limit: SOON.tasks, after })).tasks;
  }

  function nextPassMs({ tasks, now }: Due, tookMs: number): number {
    const first = tasks[0];
    const more = first !== undefined && now !== undefined && tasks.length === batch.tasks;
    const urgent = more && first.nextRunAt.getTime() - now.getTime() < horizonMs * URGENT_SHARE;
    batch = urgent ? URGENT : AHEAD;
    if (!more) return WAIT_MS;
    return urgent ? 0 : Math.max(PAUSE_MS, REST_PER_WORK * tookMs);
  }

  async function planAll(tasks: readonly DueTask[], now: Date): Promise<Made> {
    const byId = new Map(tasks.map((task) => [task.id, task]));
    const plans = writePlans(
      {
        ...options,
        async onRefused({ move }, error) {
          const task = byId.get(move.taskId);
          if (task) await fail(task, error);
        },
      },
      batch,
    );
    try {
      for (const task of tasks) {
        const plan = await tryPlan(task, now);
        if (plan) await plans.add(plan);
      }
    } finally {
      await plans.end();
    }
    return plans.made;
  }

  async function tryPlan(task: DueTask, now: Date): Promise<TaskPlan | undefined> {
    try {
      return planTask(task, now, options);
    } catch (error) {
      await fail(task, error);
      return undefined;
    }
  }

  async function fail(task: DueTask, thrown: unknown): Promise<void> {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    emit({ event: 'plan_failed', task: task.name, error });
    await notePlanError(db, task, error);
  }

  return createLoop({ name: 'planner', runOnce, onError: options.onError, minWaitMs: 20 });
}

const NOTHING: Made = { planned: 0, runs: [] };
