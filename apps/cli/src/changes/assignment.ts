import { EscapementError, parseJson } from '@escapement/core';
import type { DefinitionEdit } from '@escapement/operations';

/** What `--set path=value` says. The value is JSON, or else text. Throws `bad_assignment`, `json_number`, `json_too_deep`. */
export function readAssignment(assignment: string): DefinitionEdit {
  const at = assignment.indexOf('=');
  if (at < 1)
    throw new EscapementError('bad_assignment', `--set is "${assignment}"`, { fix: 'give path=value, as in limit=2' });
  return {
    set: readPath(assignment.slice(0, at)),
    value: jsonOrText(assignment.slice(at + 1), `--set ${assignment.slice(0, at)}`),
  };
}

/** The names of a path with dots between them. */
export function readPath(path: string): string[] {
  return path.split('.');
}

function jsonOrText(text: string, what: string): unknown {
  try {
    return parseJson(text, what);
  } catch (error) {
    if (error instanceof EscapementError) throw error;
    return text;
  }
}
