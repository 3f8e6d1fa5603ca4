import {
  type Database,
  type DispatchableRun,
  type PlannedRun,
  planRuns,
  splitOnDataFault,
  type TaskMove,
} from '@escapement/store';
import type { Dispatcher } from './dispatcher.ts';

/** Where a task moves to, and the rows up to there. */
export interface TaskPlan {
  move: TaskMove;
  rows: PlannedRun[];
}

export interface PlanWriterOptions {
  db: Database;
  dispatcher: Pick<Dispatcher, 'enqueue'>;
  /** Is given each plan that cannot be written, and why; the others are. */
  onRefused: (plan: TaskPlan, error: unknown) => Promise<void>;
}

export interface PlanBatch {
  rowsPerStatement: number;
  /** So many are under way at once. */
  statements: number;
  runsPerEnqueue: number;
}

export interface Made {
  /** Rows of runs that are to run. */
  planned: number;
  /** Of those the queue is told. */
  runs: readonly DispatchableRun[];
}

/** Writes plans of tasks, many in a statement, and tells the queue of their runs. */
export function writePlans({ db, dispatcher, onRefused }: PlanWriterOptions, batch: PlanBatch) {
  const made = { planned: 0, runs: [] as DispatchableRun[] };
  const jobs = gatherJobs(dispatcher, batch.runsPerEnqueue);
  const writes = inTurns(batch.statements);
  let plans: TaskPlan[] = [];
  let rows = 0;

  async function write(part: readonly TaskPlan[]): Promise<void> {
    const { planned, runs } = await planRuns(
      db,
      part.map(({ move }) => move),
      part.flatMap((plan) => plan.rows),
    );
    made.planned += planned;
    made.runs.push(...runs);
    jobs.add(runs);
  }

  async function flush(): Promise<void> {
    if (plans.length === 0) return;
    const written = splitOnDataFault(plans, { write, refused: onRefused });
    plans = [];
    rows = 0;
    await writes.add(written);
  }

  return {
    made: made as Made,
    async add(plan: TaskPlan): Promise<void> {
      plans.push(plan);
      rows += plan.rows.length;
      if (rows >= batch.rowsPerStatement) await flush();
    },
    /** Resolves when all is written and the queue told. */
    async end(): Promise<void> {
      await flush().then(writes.end).finally(jobs.end);
    },
  };
}

/** Lets fewer than `atOnce` of what is added be under way when it is added to. */
function inTurns(atOnce: number) {
  const underWay: Promise<unknown>[] = [];
  return {
    async add(work: Promise<unknown>): Promise<void> {
      // It is waited for below: until then its failure is not one that nobody hears of.
      work.catch(() => undefined);
      underWay.push(work);
      if (underWay.length >= atOnce) await underWay.shift();
    },
    async end(): Promise<void> {
      await Promise.all(underWay);
    },
  };
}

/** Jobs are added while the next rows are written, as soon as there are so many. */
function gatherJobs({ enqueue }: PlanWriterOptions['dispatcher'], atLeast: number) {
  let gathered: DispatchableRun[] = [];
  let enqueued: Promise<unknown> = Promise.resolve();

  function send(): void {
    enqueued = Promise.all([enqueued, enqueue(gathered)]);
    gathered = [];
  }

  return {
    add(runs: readonly DispatchableRun[]): void {
      gathered.push(...runs);
      if (gathered.length >= atLeast) send();
    },
    async end(): Promise<void> {
      if (gathered.length > 0) send();
      await enqueued;
    },
  };
}
