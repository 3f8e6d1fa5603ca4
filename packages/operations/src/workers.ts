import { type By, briefly, EscapementError, nearest } from '@escapement/core';
import {
  type Database,
  drainWorker as drainInLedger,
  expectedWorkers,
  readWorkers,
  resumeWorker as resumeInLedger,
  type Task,
  type WorkerView,
} from '@escapement/store';
import { permitInNamespace } from './rights/permit.ts';

export type { Drain, WorkerView } from '@escapement/store';

/** How long a worker is believed to be alive after its last heartbeat: the lease time of the fleet. Milliseconds. */
interface Fleet {
  deadMs: number;
}

/** The workers that are alive. */
export async function listWorkers(db: Database, { deadMs }: Fleet): Promise<WorkerView[]> {
  return await readWorkers(db, { withinMs: deadMs });
}

/** A worker that has a run of each occurrence of a task. */
export interface WorkerOfTask {
  name: string;
  /** False: it is away, and expected. */
  isAlive: boolean;
}

/** The workers that a task runs on, by name; null: it does not run on every worker. */
export async function workersOfTask(db: Database, task: Task, fleet: Fleet): Promise<WorkerOfTask[] | null> {
  if (!task.definition.runOn) return null;
  const alive = new Set((await listWorkers(db, fleet)).map(({ name }) => name));
  return (await expectedWorkers(db, task)).map((name) => ({ name, isAlive: alive.has(name) }));
}

/** A living worker by its id, by what its id alone begins with, or by the name that it alone has. Throws `unknown_worker`, `ambiguous_worker`. */
export async function requireWorker(db: Database, name: string, fleet: Fleet): Promise<WorkerView> {
  const workers = await listWorkers(db, fleet);
  const exact = workers.find(({ id }) => id === name);
  if (exact) return exact;
  const found = workers.filter((worker) => name !== '' && (worker.id.startsWith(name) || worker.name === name));
  const [only, another] = found;
  if (only && !another) return only;
  const ids = workers.map(({ id }) => id);
  if (only)
    throw new EscapementError('ambiguous_worker', `${found.length} workers begin with "${name}"`, {
      fix: `give one of ${briefly(found.map(({ id }) => id))}`,
    });
  const near = nearest(name, ids);
  throw new EscapementError('unknown_worker', `no living worker is "${name}"`, {
    fix: near ? `did you mean ${near}?` : 'see `escapement workers list`',
  });
}

async function permitOnWorker(db: Database, by: By, name: string, action: string): Promise<void> {
  await permitInNamespace(db, by, 'pause', { action, subject: { worker: name }, what: `worker ${name}` });
}

/**
 * Has a worker take nothing new, from its next heartbeat on; what is under way goes on. It ends with the process, or by `resumeWorker`.
 * False: it was asked already. Throws `unknown_worker`, `ambiguous_worker`.
 */
export async function drainWorker(db: Database, name: string, by: By, fleet: Fleet): Promise<boolean> {
  await permitOnWorker(db, by, name, 'drain');
  const { id } = await requireWorker(db, name, fleet);
  return await drainInLedger(db, id, by);
}

/** Has it take runs again. False: it was not being drained. Throws `unknown_worker`, `ambiguous_worker`. */
export async function resumeWorker(db: Database, name: string, by: By, fleet: Fleet): Promise<boolean> {
  await permitOnWorker(db, by, name, 'resume');
  const { id } = await requireWorker(db, name, fleet);
  return await resumeInLedger(db, id, by);
}
