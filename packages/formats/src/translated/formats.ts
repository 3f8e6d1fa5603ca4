import type { TaskDefinition } from '@escapement/core';

/** Where sets of tasks come from. Their tasks have the source `FORMAT:SET`. */
export const TASK_FORMATS = ['files', 'systemd', 'k8s', 'bullmq', 'anacron', 'run-parts'] as const;

export type TaskFormat = (typeof TASK_FORMATS)[number];

/**
 * What other schedulers say of a task, also where they say nothing: a description that is gone there is gone here. All else stays as
 * people have set it. Files say all.
 */
const SAID: { readonly [format in Exclude<TaskFormat, 'files'>]: readonly (keyof TaskDefinition)[] } = {
  systemd: ['description', 'schedule', 'catchUp', 'onFleetStart', 'handler'],
  k8s: ['schedule', 'overlap', 'startDeadlineMs', 'catchUp', 'handler', 'retry'],
  anacron: ['schedule', 'catchUp', 'handler', 'notify'],
  'run-parts': ['schedule', 'onFleetStart', 'handler', 'notify'],
  bullmq: ['schedule', 'handler', 'retry'],
};

/** A task of a document, and what one that is new has besides. */
export interface GivenTask {
  value: unknown;
  atFirst: object | undefined;
}

/** The whole definition that a task of a document asks for. `current`: the task as it is. */
export function wholeDefinition(
  format: TaskFormat,
  { value, atFirst }: GivenTask,
  current: TaskDefinition | undefined,
): unknown {
  if (format === 'files' || typeof value !== 'object' || value === null) return value;
  if (!current) return { ...atFirst, ...value };
  const kept: Partial<TaskDefinition> = { ...current };
  for (const field of SAID[format]) delete kept[field];
  return { ...kept, ...value };
}
