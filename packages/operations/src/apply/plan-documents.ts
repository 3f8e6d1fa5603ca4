import { isDeepStrictEqual } from 'node:util';
import { EscapementError, followProblem, type TaskDefinition } from '@escapement/core';
import { type TaskFormat, wholeDefinition } from '@escapement/formats';
import type { Task } from '@escapement/store';
import { formerNodes } from '../followers/check-followers.ts';
import { disagreements } from '../tasks/shared-keys.ts';

/** A task as a document has it, and where: a line of a file, a place in a request. */
export interface DocumentTask<Place> {
  value: unknown;
  place: Place;
  /** What a new task has besides, where another scheduler says it. */
  atFirst?: object | undefined;
}

/** What is wrong with documents, and where. */
export interface DocumentProblem<Place> {
  place: Place;
  message: string;
}

/** A task of the documents beside what is there. */
export interface PlannedTask<Place> {
  definition: TaskDefinition;
  /** Null: there is none of that name. */
  task: Task | null;
  changed: boolean;
  place: Place;
}

/** What documents make of the tasks that are there. */
export interface DocumentPlan<Place> {
  tasks: PlannedTask<Place>[];
  /** Of this source, and in the documents no more. */
  left: Task[];
  problems: DocumentProblem<Place>[];
}

export interface DocumentQuestion<Place> {
  read: readonly DocumentTask<Place>[];
  existing: readonly Task[];
  source: string;
  /** Who has said what the tasks are. */
  format: TaskFormat;
  /** Take over tasks of another source. */
  adopt: boolean;
  /** How a place is told. */
  placeWords: (place: Place) => string;
  /** Throws what is wrong with a definition. */
  check: (value: unknown) => TaskDefinition;
}

/** What the documents make of the tasks that are there. Anything wrong in them is a problem; then nothing may be written. */
export function planDocuments<Place>(question: DocumentQuestion<Place>): DocumentPlan<Place> {
  const { read, existing, source, format, adopt, placeWords } = question;
  const byName = new Map(existing.map((task) => [task.name, task]));
  const places = new Map<string, Place>();
  const plan: DocumentPlan<Place> = { tasks: [], left: [], problems: [] };
  const problem = (place: Place, message: string) => plan.problems.push({ place, message });
  for (const { place, atFirst, value } of read) {
    const current = byName.get(nameOf(value));
    const whole = wholeDefinition(format, { value, atFirst }, current?.definition);
    const definition = tryCheck(whole, question, (message) => problem(place, message));
    if (!definition) continue;
    const before = places.get(definition.name);
    if (before !== undefined) {
      problem(place, `task ${definition.name} is in ${placeWords(before)} already`);
      continue;
    }
    places.set(definition.name, place);
    const task = byName.get(definition.name) ?? null;
    if (task && task.source !== source && !adopt)
      problem(place, `task ${definition.name} belongs to ${task.source}; --adopt (adopt) takes it over`);
    const changed = !task || task.source !== source || !isDeepStrictEqual(task.definition, definition);
    plan.tasks.push({ definition, task, changed, place });
  }
  for (const { task, other, error } of disagreements(plan.tasks))
    problem(task.place, `${problemWords(error)} (${other.definition.name} is in ${placeWords(other.place)})`);
  plan.left = existing.filter((task) => task.source === source && !places.has(task.name));
  const all = allTasks(plan, existing);
  for (const { definition, place } of plan.tasks) {
    const wrong = followProblem(definition, all);
    if (wrong) problem(place, `${wrong.message} (${wrong.fix})`);
  }
  return plan;
}

function nameOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'name' in value ? String(value.name) : '';
}

/** All that will be there: what is to be deleted is told of elsewhere. */
function allTasks<Place>({ tasks }: DocumentPlan<Place>, existing: readonly Task[]) {
  const definitions = new Map([...existing, ...tasks].map(({ definition }) => [definition.name, definition]));
  const former = new Map(existing.flatMap(({ name, formerNames }) => formerNames.map((each) => [each, name])));
  for (const name of definitions.keys()) former.delete(name);
  return {
    names: [...definitions.keys(), ...former.keys()],
    followed: [...definitions.values(), ...formerNodes(former)],
  };
}

function tryCheck<Place>(
  value: unknown,
  { check }: DocumentQuestion<Place>,
  problem: (message: string) => void,
): TaskDefinition | undefined {
  try {
    return check(value);
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    problem(problemWords(error));
    return undefined;
  }
}

/** What is wrong, and what helps, in a line. */
export function problemWords({ message, fix }: EscapementError): string {
  return fix === undefined ? message : `${message}; ${fix}`;
}
