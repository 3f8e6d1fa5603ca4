import { isDeepStrictEqual } from 'node:util';
import { EscapementError, followProblem, type TaskDefinition } from '@escapement/core';
import { disagreements, formerNodes } from '@escapement/operations';
import type { Task } from '@escapement/store';
import type { FileProblem, FileTask } from './read-documents.ts';

/** A task of the files beside what is there. */
export interface PlannedTask {
  definition: TaskDefinition;
  /** Null: there is none of that name. */
  task: Task | null;
  changed: boolean;
  place: FileTask;
}

export interface ApplyPlan {
  tasks: PlannedTask[];
  /** Of this source, and in the files no more. */
  left: Task[];
  problems: FileProblem[];
}

export interface ApplyQuestion {
  read: readonly FileTask[];
  existing: readonly Task[];
  source: string;
  /** Take over tasks of another source. */
  adopt: boolean;
  /** Throws what is wrong with a definition. */
  check: (value: unknown) => TaskDefinition;
}

/** What the files make of the tasks that are there. Anything wrong in them is a problem; then nothing may be written. */
export function planApply({ read, existing, source, adopt, check }: ApplyQuestion): ApplyPlan {
  const byName = new Map(existing.map((task) => [task.name, task]));
  const places = new Map<string, FileTask>();
  const plan: ApplyPlan = { tasks: [], left: [], problems: [] };
  const problem = ({ file, line }: FileTask, message: string) => plan.problems.push({ file, line, message });
  for (const each of read) {
    const definition = tryCheck(each, check, problem);
    if (!definition) continue;
    const before = places.get(definition.name);
    if (before) {
      problem(each, `task ${definition.name} is in ${before.file}:${before.line} already`);
      continue;
    }
    places.set(definition.name, each);
    const task = byName.get(definition.name) ?? null;
    if (task && task.source !== source && !adopt)
      problem(each, `task ${definition.name} belongs to ${task.source}; --adopt takes it over`);
    const changed = !task || task.source !== source || !isDeepStrictEqual(task.definition, definition);
    plan.tasks.push({ definition, task, changed, place: each });
  }
  for (const { task, other, error } of disagreements(plan.tasks))
    problem(
      task.place,
      `${problemWords(error)} (${other.definition.name} is in ${other.place.file}:${other.place.line})`,
    );
  plan.left = existing.filter((task) => task.source === source && !places.has(task.name));
  const all = allTasks(plan, existing);
  for (const { definition, place } of plan.tasks) {
    const wrong = followProblem(definition, all);
    if (wrong) problem(place, `${wrong.message} (${wrong.fix})`);
  }
  return plan;
}

/** All that will be there: what is to be deleted is told of elsewhere. */
function allTasks({ tasks }: ApplyPlan, existing: readonly Task[]) {
  const definitions = new Map([...existing, ...tasks].map(({ definition }) => [definition.name, definition]));
  const former = new Map(existing.flatMap(({ name, formerNames }) => formerNames.map((each) => [each, name])));
  for (const name of definitions.keys()) former.delete(name);
  return {
    names: [...definitions.keys(), ...former.keys()],
    followed: [...definitions.values(), ...formerNodes(former)],
  };
}

function tryCheck(
  each: FileTask,
  check: ApplyQuestion['check'],
  problem: (each: FileTask, message: string) => void,
): TaskDefinition | undefined {
  try {
    return check(each.value);
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    problem(each, problemWords(error));
    return undefined;
  }
}

/** What is wrong, and what helps, in a line. */
export function problemWords({ message, fix }: EscapementError): string {
  return fix === undefined ? message : `${message}; ${fix}`;
}
