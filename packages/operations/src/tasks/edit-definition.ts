import { EscapementError, nearest } from '@escapement/core';

type Fields = { [name: string]: unknown };

/** One part of a definition that becomes another, or goes, by the names that lead to it. */
export type DefinitionEdit = { set: string[]; value: unknown } | { unset: string[] };

/**
 * A copy of a definition with edits done to it, one after the other. What is set is replaced as a whole, and made with all above it where it
 * is not there. Throws `bad_assignment` for a path that is none, `nothing_to_unset` where nothing is there.
 */
export function editDefinition(definition: unknown, edits: readonly DefinitionEdit[]): unknown {
  return edits.reduce((value, edit) => ('set' in edit ? setAt(value, edit) : unsetAt(value, edit.unset)), definition);
}

function setAt(value: unknown, { set: path, value: to }: { set: readonly string[]; value: unknown }): unknown {
  refuseNoPath(path);
  return changeAt(value, path, to);
}

function unsetAt(value: unknown, path: readonly string[]): unknown {
  refuseNoPath(path);
  refuseAbsent(value, path, path.join('.'));
  return changeAt(value, path, undefined);
}

function refuseNoPath(path: readonly string[]): void {
  if (path.length > 0 && path.every((part) => part !== '' && part !== '__proto__')) return;
  throw new EscapementError('bad_assignment', `"${path.join('.')}" is no path`, {
    fix: 'give names with dots between them',
  });
}

function refuseAbsent(value: unknown, [part, ...rest]: readonly string[], path: string): void {
  if (part === undefined) return;
  const names = isFields(value) ? Object.keys(value) : [];
  if (isFields(value) && names.includes(part)) return refuseAbsent(value[part], rest, path);
  const near = nearest(part, names);
  throw new EscapementError('nothing_to_unset', `"${path}" is to be unset, and there is no "${part}" to remove`, {
    fix: near ? `did you mean ${near}?` : names.length > 0 ? `there is ${names.join(', ')}` : 'it has no fields',
  });
}

function changeAt(value: unknown, [part, ...rest]: readonly string[], to: unknown): unknown {
  if (part === undefined) return to;
  const fields: Fields = isFields(value) ? { ...value } : {};
  const changed = changeAt(fields[part], rest, to);
  if (changed === undefined) delete fields[part];
  else fields[part] = changed;
  return fields;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
