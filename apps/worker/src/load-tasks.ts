import { EscapementError } from '@escapement/core';
import type { DescribedTask, Handlers } from '@escapement/handlers';
import type { HealthCheck, Logger } from '@escapement/service';

export interface WorkerCode {
  tasks: DescribedTask[];
  /** Every module could be loaded. */
  whole: boolean;
  /** Modules that could not be. */
  failed: number;
}

/**
 * The tasks of these folders and modules. What cannot be loaded is reported and does not hold the others up. Throws
 * `duplicate_task` for a name that two modules have: which one is meant nobody can say.
 */
export async function loadTasks(
  paths: readonly string[],
  handlers: Pick<Handlers, 'load'>,
  log: Logger,
): Promise<WorkerCode> {
  const tasks = new Map<string, DescribedTask>();
  let failed = 0;
  for (const path of paths) {
    const loaded = await handlers.load(path);
    for (const problem of loaded.problems) {
      if (problem.code === 'duplicate_task') throw problem;
      failed += 1;
      log.error({ code: problem.code, fix: problem.fix }, problem.message);
    }
    for (const found of loaded.tasks) addTask(tasks, found);
  }
  return { tasks: [...tasks.values()], whole: failed === 0, failed };
}

/** A worker that could load none of its tasks is not ready: a deployment with it would stop them all. */
export function tasksCheck({ tasks, failed }: Pick<WorkerCode, 'tasks' | 'failed'>): HealthCheck {
  const detail = `${tasks.length} loaded${failed > 0 ? `, ${failed} not: see the log of its start` : ''}`;
  return { name: 'tasks', run: async () => ({ ok: failed === 0 || tasks.length > 0, detail, value: tasks.length }) };
}

function addTask(tasks: Map<string, DescribedTask>, found: DescribedTask): void {
  const { name } = found.definition;
  const first = tasks.get(name);
  // A module may be named beside the folder it is in.
  if (first && first.file !== found.file)
    throw new EscapementError('duplicate_task', `task "${name}" of ${found.file} is defined in ${first.file} already`, {
      fix: 'give one of them another name',
    });
  tasks.set(name, found);
}
