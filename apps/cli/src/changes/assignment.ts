import { EscapementError } from '@escapement/core';
import type { DefinitionEdit } from '@escapement/operations';

/** What `--set path=value` says. The value is JSON, or else text. Throws `bad_assignment`. */
export function readAssignment(assignment: string): DefinitionEdit {
  const at = assignment.indexOf('=');
  if (at < 1)
    throw new EscapementError('bad_assignment', `--set is "${assignment}"`, { fix: 'give path=value, as in limit=2' });
  return { set: readPath(assignment.slice(0, at)), value: jsonOrText(assignment.slice(at + 1)) };
}

/** The names of a path with dots between them. */
export function readPath(path: string): string[] {
  return path.split('.');
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
