import type { AwayDuring, Clock, Emit, RepeatRange } from '@escapement/core';
import { planTask } from '@escapement/operations';
import { createLoop, type Loop } from '@escapement/service';
import {
  type Database,
  type DispatchableRun,
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
 * twice as long as it worked. What it has planned goes to the queue together, so that runs that are due together share a job.
 */
const AHEAD = { tasks: 100, rowsPerStatement: 250, runsPerEnqueue: 2000 };
const URGENT = { tasks: 500, rowsPerStatement: 250, runsPerEnqueue: 1 };
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
  const { db, dispatcher, clock, horizonMs, emit } = options;

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
    let moves: TaskMove[] = [];
    let rows: PlannedRun[] = [];
    let planned = 0;
    const jobs = gatherJobs(dispatcher, batch.runsPerEnqueue);
    async function flush(): Promise<void> {
      if (moves.length === 0) return;
      const made = await planRuns(db, moves, rows);
      planned += made.planned;
      jobs.add(made.runs);
      moves = [];
      rows = [];
    }
    try {
      for (const task of tasks) {
        const plan = await tryPlan(task, now);
        if (!plan) continue;
        moves.push(plan.move);
        rows.push(...plan.rows);
        if (rows.length >= batch.rowsPerStatement) await flush();
      }
      await flush();
    } finally {
      await jobs.end();
    }
    return { planned, runs: jobs.all };
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

interface Made {
  planned: number;
  /** Of those the queue is told. */
  runs: readonly DispatchableRun[];
}

const NOTHING: Made = { planned: 0, runs: [] };

/** Jobs are added while the next rows are written, as soon as there are so many. */
function gatherJobs({ enqueue }: PlannerOptions['dispatcher'], atLeast: number) {
  const all: DispatchableRun[] = [];
  let gathered: DispatchableRun[] = [];
  let enqueued: Promise<unknown> = Promise.resolve();

  function send(): void {
    enqueued = Promise.all([enqueued, enqueue(gathered)]);
    gathered = [];
  }

  return {
    all,
    add(runs: readonly DispatchableRun[]): void {
      all.push(...runs);
      gathered.push(...runs);
      if (gathered.length >= atLeast) send();
    },
    async end(): Promise<void> {
      if (gathered.length > 0) send();
      await enqueued;
    },
  };
}
