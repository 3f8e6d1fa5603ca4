import { actionOf, type Emit, inOrderOfSaving, processPrincipal, SECOND, type TaskInput } from '@escapement/core';
import type { EgressPolicy } from '@escapement/core/egress';
import { type CodeTaskResult, saveCodeTask } from '@escapement/operations';
import { createLoop } from '@escapement/service';
import {
  type CodeView,
  type Database,
  pauseLeftTasks,
  placeCodeTasks,
  strayCodeTasks,
  WORKER_GONE_MS,
} from '@escapement/store';

const WAIT_MS = 10 * SECOND;

export interface CodeSyncOptions {
  db: Database;
  /** The worker whose code it is. */
  worker: string;
  /** As `registerDeployment` gave it; the worker's heartbeats must say it before this starts. */
  deploymentId: string;
  app: string;
  release: string | undefined;
  tasks: readonly TaskInput[];
  /** Where requests of tasks may go. Default: to public addresses. */
  egress?: EgressPolicy;
  emit: Emit;
  onError: (error: unknown) => void;
}

export interface CodeSync {
  /** Saves the tasks; resolves when they are. From then on sees to it that they stay so, each ten seconds. */
  start(): Promise<void>;
  /** One pass of those, by hand. */
  runOnce(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Keeps the tasks in Postgres as the code has them. Of several deployments of an application the latest with a living
 * worker counts, task by task; what it has no more, and no other worker has, is paused.
 */
export function createCodeSync(options: CodeSyncOptions): CodeSync {
  const { db, app, release, deploymentId, egress, emit } = options;
  const definitions = new Map(options.tasks.map((task) => [task.name, task]));
  // What follows others first: a task is refused that names one that is not there.
  const order = new Map(inOrderOfSaving(options.tasks).map(({ name }, index) => [name, index]));
  const inOrder = (name: string) => order.get(name) ?? 0;
  const reported = new Map<string, string>();
  const whose = release === undefined ? app : `release ${release} of ${app}`;
  const leaving = actionOf(
    processPrincipal('worker'),
    `left the code: ${whose} has it no more, says ${options.worker}`,
  );

  async function pass(view: CodeView, starting: boolean): Promise<void> {
    const strays = await strayCodeTasks(db, view);
    for (const { name, status } of strays.toSorted((one, other) => inOrder(one.name) - inOrder(other.name))) {
      const task = definitions.get(name);
      // What a person deletes while the worker runs stays so until another one starts.
      if (task && (starting || status !== 'deleted'))
        report(name, await saveCodeTask(db, task, { ...view, release, egress }));
    }
    await placeCodeTasks(db, deploymentId, { all: starting });
    const left = await pauseLeftTasks(db, view, leaving);
    if (left.length > 0) emit({ event: 'code_tasks_left', tasks: left });
  }

  /** The same thing once, however often it is met. */
  function report(task: string, result: CodeTaskResult): void {
    const words = JSON.stringify([result.kind, wordsOf(result)]);
    if (reported.get(task) === words) return;
    reported.set(task, words);
    if (result.kind === 'yields') {
      if (!result.same) emit({ event: 'code_task_yields', task, why: result.why });
    } else if (result.kind === 'refused') emit({ event: 'code_task_refused', task, error: result.error });
    else if (result.kind !== 'unchanged')
      emit({ event: 'code_task_saved', task, kind: result.kind, version: result.version });
  }

  const loop = createLoop({
    name: 'code tasks',
    async runOnce() {
      await pass({ deploymentId, afterShutdownMs: WORKER_GONE_MS }, false);
      return WAIT_MS;
    },
    onError: options.onError,
  });

  return {
    async start() {
      await pass({ deploymentId, afterShutdownMs: 0 }, true);
      loop.start();
    },
    runOnce: loop.runOnce,
    stop: loop.stop,
  };
}

function wordsOf(result: CodeTaskResult): unknown {
  if (result.kind === 'yields') return result.why;
  return result.kind === 'refused' ? result.error.message : result.version;
}
