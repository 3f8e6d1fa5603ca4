import { type By, checkUnknownTask, inOrderOfSaving, type TaskDefinition, type UndoneEdit } from '@escapement/core';
import type { EgressPolicy } from '@escapement/core/egress';
import { judgeRight, taskObject } from '@escapement/core/rights';
import type { TaskFormat } from '@escapement/formats';
import { type Database, listTasks, pingDatabase, type Task, whileSetIsHeld } from '@escapement/store';
import { checkMayGo } from '../followers/check-followers.ts';
import { permitOnTask, permitSave } from '../rights/permit.ts';
import { checkEgress } from '../tasks/check-egress.ts';
import { saveProblems } from '../tasks/check-savable.ts';
import { deleteTask } from '../tasks/delete-task.ts';
import { effectOf, type TaskEffect } from '../tasks/effect.ts';
import { saveTask } from '../tasks/save-task.ts';
import { undoneEdits } from '../tasks/undone-edits.ts';
import { differences, type PlannedWrite, type PlannedWrites, planOutdated, writesOf } from './held-to-plan.ts';
import {
  type DocumentPlan,
  type DocumentProblem,
  type DocumentQuestion,
  planDocuments,
  problemWords,
} from './plan-documents.ts';
import { pruneDoubt } from './prune-doubt.ts';

export interface ApplyAsked<Place> extends Omit<DocumentQuestion<Place>, 'existing' | 'source' | 'check' | 'format'> {
  /** Default: files, which define their tasks completely. */
  format?: TaskFormat | undefined;
  /** Names of tasks that, where they are new, are paused from the first moment on. Default: none. */
  paused?: readonly string[] | undefined;
  /** The set of tasks that the documents define completely. */
  set: string;
  /** Delete tasks of the set that are no longer in the documents. */
  prune: boolean;
  /** Where requests of tasks may go. */
  egress: EgressPolicy;
}

/** What documents make of the tasks that are there, and whose they are. */
export interface ApplyPlan<Place> extends DocumentPlan<Place> {
  set: string;
  source: string;
  prune: boolean;
  egress: EgressPolicy;
  /** New tasks that are paused from the first moment on. */
  paused: ReadonlySet<string>;
  /** All tasks that there are. */
  existing: readonly Task[];
}

/** One apply of a set after the other: what is planned within `work` is still so when it is written. Throws `save_races`. */
export async function applyAlone<Result>(
  db: Database,
  { set, format = 'files' }: Pick<ApplyAsked<unknown>, 'set' | 'format'>,
  work: () => Promise<Result>,
): Promise<Result> {
  return await whileSetIsHeld(db, `${format}:${set}`, work);
}

/** What documents would change. Nothing is written; see `applyProblems` for whether it could be. */
export async function planApply<Place>(db: Database, asked: ApplyAsked<Place>): Promise<ApplyPlan<Place>> {
  const { set, prune, egress, format = 'files' } = asked;
  const source = `${format}:${set}`;
  const paused = new Set(asked.paused);
  const existing = await listTasks(db);
  const check = (value: unknown) => {
    const definition = checkUnknownTask(value);
    checkEgress(definition, egress);
    return definition;
  };
  const documents = planDocuments({ ...asked, existing, source, check, format });
  return { ...documents, set, source, prune, egress, paused, existing };
}

/** Asks for all that it takes to carry out a plan, before any of it is written. Throws `not_allowed`. */
export async function permitApply(db: Database, plan: ApplyPlan<unknown>, by: By): Promise<void> {
  for (const { definition, changed } of plan.tasks) if (changed) await permitSave(db, by, definition);
  for (const { task, definition } of plan.tasks)
    if (!task && plan.paused.has(definition.name))
      await permitOnTask(db, by, 'pause', { name: definition.name, action: 'pause' });
  if (!plan.prune) return;
  for (const { name } of plan.left) await permitOnTask(db, by, 'edit', { name, action: 'delete' });
}

/** All that is wrong with the documents, and what each save would be refused for, with the place of its task. */
export async function applyProblems<Place>(db: Database, plan: ApplyPlan<Place>): Promise<DocumentProblem<Place>[]> {
  const problems = [...plan.problems];
  const together = namesOf(plan);
  for (const { definition, changed, place } of plan.tasks)
    for (const error of changed ? await saveProblems(db, definition, together) : [])
      problems.push({ place, message: wordsOf(definition.name, problemWords(error)) });
  return problems;
}

function wordsOf(name: string, problem: string): string {
  return problem.startsWith(`task ${name} `) ? problem : `task ${name}: ${problem}`;
}

function namesOf({ tasks }: ApplyPlan<unknown>): string[] {
  return tasks.map(({ definition }) => definition.name);
}

/** Throws `task_is_named` where a task that stays names one that is to be deleted. */
export function checkPrune({ tasks, left, prune, existing }: ApplyPlan<unknown>): void {
  if (!prune) return;
  const changed = new Set([...tasks.map(({ definition }) => definition.name), ...left.map(({ name }) => name)]);
  const others = existing.filter(({ name }) => !changed.has(name));
  checkMayGo(
    left,
    [...tasks, ...others].map(({ definition }) => definition),
  );
}

/** What to ask before a plan deletes what it deletes, as `pruneDoubt` says; null: nothing. Throws `prune_refused`. */
export function pruneDoubtOf(
  { set, source, prune, left, existing }: ApplyPlan<unknown>,
  allowed: number | undefined,
): string | null {
  if (!prune) return null;
  const had = existing.filter((task) => task.source === source).length;
  return pruneDoubt({ set, left: left.map(({ name }) => name), had, allowed }) ?? null;
}

/** What a plan does to a task, and what people have edited of it that is undone by that. */
export type AppliedEffect = TaskEffect & { undoes: UndoneEdit[] };

/** What becomes of each task that a plan changes. `timeZone`: of days in which fires move. */
export async function effectsOf(
  db: Database,
  plan: ApplyPlan<unknown>,
  asked: { days: number; timeZone: string },
): Promise<AppliedEffect[]> {
  const question = { from: (await pingDatabase(db)).now, ...asked };
  const effects: AppliedEffect[] = [];
  for (const { task, definition, changed } of plan.tasks) {
    if (!changed) continue;
    const effect = await effectOf(db, { task, definition }, question);
    effects.push({ ...effect, undoes: task ? await undoneEdits(db, task, effect.changed) : [] });
  }
  if (!plan.prune) return effects;
  for (const task of plan.left)
    effects.push({ ...(await effectOf(db, { task, definition: undefined }, question)), undoes: [] });
  return effects;
}

/** Names of the tasks of the set that are no longer in the documents, as far as somebody may see them. */
export function leftOf({ left }: ApplyPlan<unknown>, { namespace }: Pick<Database, 'namespace'>, by: By): string[] {
  const sees = ({ name, definition }: Task) =>
    judgeRight(by.grants, 'read', taskObject(namespace, name, definition.labels)).allowed;
  return left.filter(sees).map(({ name }) => name);
}

/** Throws `plan_outdated` where a plan would now do what was not planned. */
export function checkHeld(plan: ApplyPlan<unknown>, planned: PlannedWrites): void {
  const words = differences(writesOf(plan, plan), planned);
  if (words.length > 0) throw planOutdated(words);
}

/**
 * Writes what a plan says: each task by itself, those that follow others after them. Nothing is written over that has changed since the
 * plan was made. What was written before it broke off stays; applied again, it goes on. Throws `plan_outdated`, `not_allowed`, and what
 * a save or a deletion throws.
 */
export async function writeApply(db: Database, plan: ApplyPlan<unknown>, by: By): Promise<void> {
  const { source, egress } = plan;
  const writes = writesOf(plan, plan);
  let done = 0;
  const guardOf = (name: string) => async (current: Task | null) => {
    const write = writes.get(name);
    if (!write || isAsPlanned(current, write)) return;
    throw planOutdated([changedWords(name, current, write)], done);
  };
  const changed = plan.tasks.filter((task) => task.changed).map(({ definition }) => definition);
  const context = { source, by, egress, together: namesOf(plan) };
  for (const definition of inOrderOfSaving(changed)) {
    const { name } = definition;
    const pausedNote = plan.paused.has(name) ? SUSPENDED : undefined;
    await saveTask(db, definition, { ...context, guard: guardOf(name), pausedNote });
    done += 1;
  }
  if (!plan.prune) return;
  for (const { name } of inOrderOfDeleting(plan.left)) {
    await deleteTask(db, name, by, guardOf(name));
    done += 1;
  }
}

const SUSPENDED = 'it was suspended where it comes from';

function inOrderOfDeleting(left: readonly Task[]): TaskDefinition[] {
  return inOrderOfSaving(left.map(({ definition }) => definition)).toReversed();
}

function isAsPlanned(current: Task | null, { version }: PlannedWrite): boolean {
  return (current?.version ?? null) === version;
}

function changedWords(name: string, current: Task | null, { version }: PlannedWrite): string {
  if (!current) return `task ${name} is gone by now`;
  if (version === null) return `task ${name} is there by now`;
  return `task ${name} has version ${current.version} by now, not ${version} as planned`;
}
