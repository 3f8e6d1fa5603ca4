import type { TaskDefinition } from '@escapement/core';
import { scheduleWords } from '@escapement/core';
import type { Occurrences } from '@escapement/core/schedule';
import type { Database, Task } from '@escapement/store';
import { type EffectQuestion, effectOf, type TaskEffect } from './effect.ts';
import { occurrencesInForce, readOccurrences } from './task-occurrences.ts';

/** What a save would change, side by side with what is. */
export interface TaskPreview {
  effect: TaskEffect;
  /** When it would run, in words. */
  meaning: string;
  /** When it runs by the definition that is in force, in words; null: it is a new task. */
  meaningBefore: string | null;
  /** The next fires of the definition that is in force. */
  before: Date[];
  /** Those of the new one. */
  after: Date[];
  /** The version it was compared with; null: it is a new task. */
  version: number | null;
}

/** Occurrences that calendars leave out are looked over up to so many for each that is wanted. */
const MAX_LEFT_OUT = 1000;

/** What saving a definition would change. Reads only. `count`: fires of each side. Throws `unknown_calendar`. */
export async function previewTask(
  db: Database,
  { task, definition }: { task: Task | null; definition: TaskDefinition },
  { count, ...question }: EffectQuestion & { count: number },
): Promise<TaskPreview> {
  const [effect, was, is] = await Promise.all([
    effectOf(db, { task, definition }, question),
    task ? occurrencesInForce(db, task.definition) : undefined,
    readOccurrences(db, definition),
  ]);
  return {
    effect,
    meaning: scheduleWords(definition),
    meaningBefore: task ? scheduleWords(task.definition) : null,
    before: was ? firesFrom(was, question.from, count) : [],
    after: firesFrom(is, question.from, count),
    version: task?.version ?? null,
  };
}

/** The next fires that no calendar leaves out. */
function firesFrom({ next, excluded }: Occurrences, from: Date, count: number): Date[] {
  const fires: Date[] = [];
  let at = next(new Date(from.getTime() - 1));
  for (let looked = 0; at && fires.length < count && looked < count + MAX_LEFT_OUT; looked++) {
    if (excluded(at) === null) fires.push(at);
    at = next(at);
  }
  return fires;
}
