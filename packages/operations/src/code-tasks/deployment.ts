import { createHash } from 'node:crypto';
import { checkTask, EscapementError, type TaskInput } from '@escapement/core';
import type { DeploymentInfo } from '@escapement/store';

/** The tasks in the code of a worker. */
export interface CodeToDeploy {
  /** Whose code it is. */
  app: string;
  /** What people call this version of it. */
  release: string | undefined;
  tasks: readonly TaskInput[];
  /** Every module could be loaded. */
  whole: boolean;
}

/** What is noted of a worker's code. The same code gives the same, on every machine and at every time. */
export function deploymentOf({ app, release = '', tasks, whole }: CodeToDeploy): DeploymentInfo {
  const prints = tasks.map((task) => [task.name, fingerprint(definitionOf(task))] as const);
  const sorted = prints.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    app,
    release: release === '' ? null : release,
    fingerprint: fingerprint([release, whole, sorted]),
    whole,
    tasks: Object.fromEntries(sorted),
  };
}

/** With its defaults; as it is where it is not valid, which is told when it is saved. */
function definitionOf(task: TaskInput): unknown {
  try {
    return checkTask(task);
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    return task;
  }
}

function fingerprint(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
