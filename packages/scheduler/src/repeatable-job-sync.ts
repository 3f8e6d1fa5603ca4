import { type Emit, type RepeatGrid, type RepeatRange, repeatGrid, SECOND } from '@escapement/core';
import { parseSchedule } from '@escapement/core/schedule';
import { type JobSchedulers, jobSchedulerId, type RepeatableJob } from '@escapement/queue';
import { createLoop, type Loop } from '@escapement/service';
import { type Database, knownQueues, type RepeatableTask, repeatableTasks, takeClusterLock } from '@escapement/store';

/** One replica in each interval compares. */
const EVERY_MS = 2 * SECOND;
/** After a pause, a resume or an edit one of them does so sooner, however many there are. */
const WOKEN_MS = SECOND / 5;
const PAGE = 1000;

export interface RepeatableJobSyncOptions {
  db: Database;
  jobSchedulers: JobSchedulers;
  /** Tasks with a steady interval of this range have one. The same for all schedulers. */
  repeatable: RepeatRange;
  /** How far ahead rows are made. Milliseconds. */
  horizonMs: number;
  /** Whether this process' clock may be trusted with work. */
  mayWork: () => boolean;
  emit: Emit;
  onError: (error: unknown) => void;
}

/**
 * Keeps a job scheduler in BullMQ for each task with a steady interval, and no other: after an edit, a pause, a resume, a flush.
 * What a job scheduler does is in its id, so that equal ones are never touched, and their grid is the task's. Any number
 * of replicas may run it: a job scheduler that is made twice, or taken away twice, is the same.
 */
export function createRepeatableJobSync(options: RepeatableJobSyncOptions): Loop {
  const { db, jobSchedulers } = options;
  /** A task that has moved to another queue may have been the last one of its own. */
  const queues = new Set<string>();
  let woken = false;

  async function runOnce(): Promise<number> {
    if (!options.mayWork()) return EVERY_MS;
    if (!(await takeClusterLock(db, 'repeatable-job-sync', woken ? WOKEN_MS : EVERY_MS)))
      return woken ? WOKEN_MS : EVERY_MS;
    woken = false;
    // The tasks are read after Redis: what is there but not among them is certainly not wanted any more.
    for (const queue of await knownQueues(db)) queues.add(queue);
    const there = (await Promise.all([...queues].map(jobSchedulers.list))).flat();
    const wanted = await readWanted(options);
    const sound = new Set(there.filter((each) => each.sound).map(placeOf));
    const missing = [...wanted].filter(([place]) => !sound.has(place)).map(([, job]) => job);
    const unwanted = there.filter((each) => !each.sound || !wanted.has(placeOf(each)));
    await jobSchedulers.remove(unwanted);
    await jobSchedulers.put(missing);
    if (missing.length + unwanted.length > 0)
      options.emit({ event: 'repeatable_jobs_changed', made: missing.length, removed: unwanted.length });
    return EVERY_MS;
  }

  const loop = createLoop({ name: 'repeatable-job-sync', runOnce, onError: options.onError, minWaitMs: 100 });
  return {
    ...loop,
    wake() {
      woken = true;
      loop.wake();
    },
  };
}

async function readWanted({
  db,
  repeatable,
  horizonMs,
}: RepeatableJobSyncOptions): Promise<Map<string, RepeatableJob>> {
  const wanted = new Map<string, RepeatableJob>();
  for (let after: RepeatableTask | undefined; repeatable.toMs > 0; ) {
    // The planner has moved each that goes on to the first occurrence beyond the horizon.
    const tasks = await repeatableTasks(db, {
      maxEveryMs: repeatable.toMs,
      withinMs: 2 * horizonMs,
      after,
      limit: PAGE,
    });
    for (const task of tasks) {
      const grid = gridOf(task, repeatable);
      const job = grid && { queue: task.queue, taskId: task.id, priority: task.priority ?? undefined, ...grid };
      if (job) wanted.set(placeOf(job), job);
    }
    after = tasks.at(-1);
    if (tasks.length < PAGE) break;
  }
  return wanted;
}

/** A schedule that cannot be read is the planner's to complain about. */
function gridOf(task: RepeatableTask, repeatable: RepeatRange): RepeatGrid | null {
  try {
    return repeatGrid(parseSchedule(task.schedule, { seed: task.name }), repeatable);
  } catch {
    return null;
  }
}

function placeOf(job: RepeatableJob): string {
  return `${job.queue} ${jobSchedulerId(job)}`;
}
