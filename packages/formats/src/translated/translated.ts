import { checkTask, EscapementError, type TaskInput } from '@escapement/core';

/** What another scheduler runs, as a task of ours. */
export interface Translated {
  /** Where it stands: the path of a unit, a line of a manifest, the id of a job scheduler. */
  place: string;
  task: TaskInput;
  /** What a new task has besides, because the other scheduler says nothing of it; one that is there keeps its own. */
  atFirst: Partial<TaskInput>;
  /** It is suspended there: a new task is paused. */
  paused: boolean;
  /** What the task does not take over, and what to do about it. */
  lost: string[];
  /** What is to be known of how it was read. */
  notes: string[];
}

/** Something that cannot be a task, and why. */
export interface Untranslated {
  place: string;
  reason: string;
}

/** What a file, a folder or a queue becomes. */
export interface Translation {
  tasks: Translated[];
  refused: Untranslated[];
  /** What is to be known of all of it. */
  notes: string[];
}

/** That something cannot be said here: what, and what to do. Whoever reads a whole file tells it of its place and goes on. */
export function cannotSay(message: string, fix: string): EscapementError {
  return new EscapementError('cannot_say', message, { fix });
}

/** Adds what `read` gives, or why it cannot be: all of it or nothing. */
export function translate(translation: Translation, place: string, read: () => readonly Translated[]): void {
  try {
    const tasks = read();
    for (const { atFirst, task } of tasks) checkTask({ ...atFirst, ...task });
    translation.tasks.push(...tasks);
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    translation.refused.push({ place, reason: error.fix ? `${error.message}: ${error.fix}` : error.message });
  }
}
