import { EscapementError, MINUTE, SECOND } from '@escapement/core';
import type { DescribedTask, Handlers } from '@escapement/handlers';
import type { HealthCheck, Logger } from '@escapement/service';

export interface WorkerCode {
  tasks: DescribedTask[];
  /** Every module could be loaded. */
  whole: boolean;
  /** Modules that could not be. */
  failed: number;
}

/** A module that did not answer is given twice as long the next time, up to the last. */
const FIRST_LIMIT_MS = 30 * SECOND;
const LAST_LIMIT_MS = 8 * MINUTE;
/** The wait before that grows in the same way. */
const FIRST_WAIT_MS = 2 * SECOND;
const LAST_WAIT_MS = 1 * MINUTE;
/** Loads of modules that do not answer while others of this worker are there: those need not wait for ever. */
const MOST_LOADS = 3;

export interface Loading {
  handlers: Pick<Handlers, 'load'>;
  log: Logger;
  /** Waits so many milliseconds. */
  wait: (ms: number) => Promise<unknown>;
}

/**
 * The tasks of these folders and modules. What cannot be loaded is reported and does not hold the others up. A module that does not
 * answer is loaded again: with the others three times, and where none is there until one is, since a worker without its tasks is not
 * ready. Throws `duplicate_task` for a name that two modules have: which one is meant nobody can say.
 */
export async function loadTasks(paths: readonly string[], { handlers, log, wait }: Loading): Promise<WorkerCode> {
  let limitMs = FIRST_LIMIT_MS;
  let waitMs = FIRST_WAIT_MS;
  for (let loads = 1; ; loads++) {
    const { tasks, problems } = await loadAll(paths, handlers, limitMs);
    const isUnanswered = problems.some(({ code }) => code === 'task_unanswered');
    const isLast = !isUnanswered || (tasks.length > 0 && loads >= MOST_LOADS);
    logProblems(problems, log, isLast ? undefined : waitMs);
    if (isLast) return { tasks, whole: problems.length === 0, failed: problems.length };
    await wait(waitMs);
    limitMs = Math.min(2 * limitMs, LAST_LIMIT_MS);
    waitMs = Math.min(2 * waitMs, LAST_WAIT_MS);
  }
}

async function loadAll(paths: readonly string[], handlers: Loading['handlers'], limitMs: number) {
  const tasks = new Map<string, DescribedTask>();
  const problems: EscapementError[] = [];
  for (const path of paths) {
    const loaded = await handlers.load(path, { limitMs });
    for (const problem of loaded.problems) {
      if (problem.code === 'duplicate_task') throw problem;
      problems.push(problem);
    }
    for (const found of loaded.tasks) addTask(tasks, found);
  }
  return { tasks: [...tasks.values()], problems };
}

/** `retryInMs`: all are loaded again then, and only what did not answer is worth a line now. */
function logProblems(problems: readonly EscapementError[], log: Logger, retryInMs: number | undefined): void {
  for (const { code, fix, message } of problems) {
    if (retryInMs === undefined) log.error({ code, fix }, message);
    else if (code === 'task_unanswered') log.warn({ code, fix, retryInMs }, `${message}; loading it again`);
  }
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
