import { type By, followersOf, handlerFacts, type TaskDefinition } from '@escapement/core';
import {
  firstUnmet,
  judgeRight,
  type NeededRight,
  namespaceObject,
  needsOfSave,
  notAllowed,
  type Right,
  type RightsObject,
  taskObject,
} from '@escapement/core/rights';
import {
  type AuditSubject,
  type Database,
  findRun,
  recordRefusal,
  type SelectedTask,
  selectTasks,
  type TaskChoice,
  taskLabels,
} from '@escapement/store';
import { wholeRunId } from '../runs/require-run.ts';

/** An act, as the audit calls it. */
export interface Action {
  action: string;
  subject: AuditSubject;
}

/**
 * The one place where rights are asked: each act of this package goes through it before it does anything. What is refused is an entry
 * of the audit. Of a principal that may do everything nothing is looked up. Throws `not_allowed`.
 */
export async function permit(
  db: Database,
  by: By,
  entry: Action,
  needs: () => Promise<readonly NeededRight[]> | readonly NeededRight[],
): Promise<void> {
  if (by.grants === 'all') return;
  const unmet = firstUnmet(by.grants, await needs());
  if (!unmet) return;
  const detail = { right: unmet.right, on: unmet.object.what.slice(0, MAX_NAME), why: unmet.why };
  await recordRefusal(db, shortened(entry.subject), { action: entry.action, detail, by });
  throw notAllowed(by.principal, { ...unmet, object: { ...unmet.object, what: detail.on } });
}

/** Whether somebody has a right on all of the namespace, and so on each task: which one it is need not be looked up then. */
function hasEverywhere({ namespace }: Database, { grants }: By, right: Right): boolean {
  return judgeRight(grants, right, namespaceObject(namespace)).allowed;
}

/** Characters of a name that nobody has checked yet. */
const MAX_NAME = 250;

function shortened(subject: AuditSubject): AuditSubject {
  const entries = Object.entries(subject).map(([kind, name]) => [kind, String(name).slice(0, MAX_NAME)]);
  return Object.fromEntries(entries);
}

/** Asks for a right on a task, whether it is there or not. */
export async function permitOnTask(
  db: Database,
  by: By,
  right: Right,
  { name, ...entry }: { name: string; action: string; subject?: AuditSubject },
): Promise<void> {
  await permit(db, by, { subject: { task: name }, ...entry }, async () => [
    { right, object: hasEverywhere(db, by, right) ? namespaceObject(db.namespace) : await taskObjectOf(db, name) },
  ]);
}

/** Asks for a right on each of the tasks that labels and names select now. One that lacks it refuses them all. Returns them. */
export async function permitOnTasks(
  db: Database,
  by: By,
  right: Right,
  { labels, names, ...entry }: Action & TaskChoice,
): Promise<SelectedTask[]> {
  const tasks = await selectTasks(db, { labels, names });
  await permit(db, by, entry, () =>
    tasks.map((task) => ({ right, object: taskObject(db.namespace, task.name, task.labels) })),
  );
  return tasks;
}

/** A task as an object of rights, with the labels that it has now. */
export async function taskObjectOf(db: Database, name: string): Promise<RightsObject> {
  const labels = (await taskLabels(db, [name])).get(name);
  return taskObject(db.namespace, name, labels);
}

/** Asks for a right on the task of a run. One that is not there is anybody's who may do it to all. */
export async function permitOnRun(
  db: Database,
  by: By,
  right: Right,
  { id, action }: { id: string; action: string },
): Promise<void> {
  // What is not the id of a run is refused after this, unless the right is missing.
  const whole = await wholeRunId(db, id).catch(() => id.toLowerCase());
  await permit(db, by, { action, subject: { run: whole } }, async () => {
    const run = hasEverywhere(db, by, right) ? null : await findRun(db, whole);
    if (!run) return [{ right, object: namespaceObject(db.namespace, `run ${id}`) }];
    const task = await taskObjectOf(db, run.taskName);
    return [{ right, object: { ...task, what: `run ${run.id} of task ${run.taskName}` } }];
  });
}

/** Asks for a right on something that is no task. */
export async function permitInNamespace(
  db: Database,
  by: By,
  right: Right,
  { what, ...entry }: Action & { what: string },
): Promise<void> {
  await permit(db, by, entry, () => [{ right, object: namespaceObject(db.namespace, what) }]);
}

/** Asks for all that it takes to save a task. */
export async function permitSave(db: Database, by: By, definition: TaskDefinition): Promise<void> {
  const { name } = definition;
  await permit(db, by, { action: 'save', subject: { task: name } }, async () => {
    const { code } = handlerFacts(definition.handler);
    const started = [...followersOf(definition), ...(code ? [code] : [])];
    const labels = await taskLabels(db, [name, ...started.map((task) => task.name)]);
    const before = labels.get(name) ?? null;
    return needsOfSave({ namespace: db.namespace, definition, before, labelsOf: (task) => labels.get(task) });
  });
}
