import { briefly, EscapementError, keyOn, nearest, runIdOn } from '@escapement/core';
import { type Database, expectedWorkers, type RunOnWorker, type Task } from '@escapement/store';

/** The runs of a trigger, one for each worker or for the one that is named; undefined: the task does not run on every worker. */
export async function runsOnWorkers(
  db: Database,
  task: Task,
  { id, key, worker }: { id: string; key: string; worker: string | undefined },
): Promise<RunOnWorker[] | undefined> {
  const { runOn, pool } = task.definition;
  if (!runOn) {
    if (worker === undefined) return undefined;
    throw new EscapementError(
      'not_on_every_worker',
      `task ${task.name} does not run on every worker, so not on "${worker}" alone`,
      {
        fix: "leave the worker out, or give the task runOn: 'every-worker'",
      },
    );
  }
  const workers = await expectedWorkers(db, task);
  if (workers.length === 0)
    throw new EscapementError(
      'no_workers',
      `task ${task.name} runs on every worker, and the pool "${pool}" has none that can run it`,
      {
        fix: `start a worker of the pool "${pool}"; see \`escapement workers list\``,
      },
    );
  const chosen = worker === undefined ? workers : workers.filter((each) => each === worker);
  if (chosen.length === 0) throw unknownWorker(worker ?? '', workers);
  return chosen.map((each) => ({ id: runIdOn(id, each), key: keyOn(key, each), worker: each }));
}

function unknownWorker(given: string, workers: readonly string[]): EscapementError {
  const meant = nearest(given, workers);
  return new EscapementError('unknown_worker', `no worker that can run the task is called "${given}"`, {
    fix: meant ? `did you mean ${meant}?` : `there are ${briefly(workers)}`,
  });
}
