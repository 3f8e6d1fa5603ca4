import { followersOf } from '../follow-graph.ts';
import { handlerFacts } from '../handler-kinds.ts';
import type { TaskDefinition } from '../task.ts';
import type { NeededRight, RightsObject } from './judge-right.ts';
import type { Labels } from './labels.ts';

/** A task, as rights are asked of it. Without labels it is a task that only grants for all tasks mean. */
export function taskObject(namespace: string, name: string, labels: Labels = {}): RightsObject {
  return { what: `task ${name}`, namespace, labels };
}

/** What is no task, such as `pool db1`: grants for all of the namespace mean it. */
export function namespaceObject(namespace: string, what = `the namespace ${namespace}`): RightsObject {
  return { what, namespace, labels: null };
}

/** A host whose cron is watched: a grant may be for this one alone, by the label `host`. */
export function hostObject(namespace: string, host: string): RightsObject {
  return { what: `the host ${host}`, namespace, labels: { host } };
}

interface Save {
  namespace: string;
  definition: TaskDefinition;
  /** The labels that the task has; null: it is new. */
  before: Labels | null;
  /** Those of each task that is to follow its runs, by name. */
  labelsOf: (task: string) => Labels | undefined;
}

/**
 * What it takes to save a task. It is edited as what it was and as what it becomes, so that nobody takes a task over, or hands one
 * over, by its labels. Who has a task run after another starts it.
 */
export function needsOfSave({ namespace, definition, before, labelsOf }: Save): NeededRight[] {
  const { name, handler, notify } = definition;
  const becomes = taskObject(namespace, name, definition.labels);
  const needs: NeededRight[] = [];
  if (before) needs.push({ right: 'edit', object: taskObject(namespace, name, before) });
  needs.push({ right: 'edit', object: becomes });
  const { rights, secrets, code } = handlerFacts(handler);
  for (const right of rights) needs.push({ right, object: becomes });
  if (secrets.length > 0) needs.push({ right: 'secrets', object: becomes });
  if ((notify?.webhook?.length ?? 0) > 0) needs.push({ right: 'webhooks', object: becomes });
  // Code goes by the name of its task: who runs it under another name starts that one.
  if (code !== null && code.name !== name)
    needs.push({ right: 'trigger', object: taskObject(namespace, code.name, labelsOf(code.name)) });
  for (const follower of followersOf(definition))
    needs.push({ right: 'trigger', object: taskObject(namespace, follower.name, labelsOf(follower.name)) });
  return needs;
}
