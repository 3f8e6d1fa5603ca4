import { admitJson, EscapementError } from '@escapement/core';
import type { FileProblem, ReadFiles } from './read-documents.ts';

/** More than a task may be. It is judged where it is saved. */
const MAX_BYTES = 1024 * 1024;

/** Moves tasks that are no JSON to the problems: YAML has infinite numbers, and is not bound in its depth. */
export function notJson({ tasks, problems }: ReadFiles): ReadFiles {
  const wrong = new Map(tasks.map((task) => [task, whyNotJson(task.value)]));
  return {
    tasks: tasks.filter((task) => wrong.get(task) === undefined),
    problems: [
      ...problems,
      ...tasks.flatMap((task): FileProblem[] => {
        const message = wrong.get(task);
        return message === undefined ? [] : [{ file: task.file, line: task.line, message }];
      }),
    ],
  };
}

function whyNotJson(value: unknown): string | undefined {
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : '?';
  try {
    admitJson(value, `task ${name}`, MAX_BYTES);
    return undefined;
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    return error.fix === undefined ? error.message : `${error.message}; ${error.fix}`;
  }
}
