import { EscapementError, nearest } from '@escapement/core';

type Fields = { [name: string]: unknown };

/** A copy of a JSON value with `path=value` done to it. The value is JSON, or else text. Throws `bad_assignment`. */
export function setAt(value: unknown, assignment: string): unknown {
  const at = assignment.indexOf('=');
  if (at < 1)
    throw new EscapementError('bad_assignment', `--set is "${assignment}"`, { fix: 'give path=value, as in limit=2' });
  return changeAt(value, partsOf(assignment.slice(0, at)), () => jsonOrText(assignment.slice(at + 1)));
}

/** A copy without what is at the path. Throws `bad_assignment`, and `nothing_to_unset` where nothing is there. */
export function unsetAt(value: unknown, path: string): unknown {
  const parts = partsOf(path);
  refuseAbsent(value, parts, path);
  return changeAt(value, parts, () => undefined);
}

function refuseAbsent(value: unknown, [part, ...rest]: readonly string[], path: string): void {
  if (part === undefined) return;
  const names = isFields(value) ? Object.keys(value) : [];
  if (isFields(value) && names.includes(part)) return refuseAbsent(value[part], rest, path);
  const near = nearest(part, names);
  throw new EscapementError('nothing_to_unset', `--unset is "${path}", and there is no "${part}" to remove`, {
    fix: near ? `did you mean ${near}?` : names.length > 0 ? `there is ${names.join(', ')}` : 'it has no fields',
  });
}

function partsOf(path: string): string[] {
  const parts = path.split('.');
  if (parts.every((part) => part !== '' && part !== '__proto__')) return parts;
  throw new EscapementError('bad_assignment', `"${path}" is no path`, { fix: 'give names with dots between them' });
}

function changeAt(value: unknown, [part, ...rest]: readonly string[], to: () => unknown): unknown {
  if (part === undefined) return to();
  const fields: Fields = isFields(value) ? { ...value } : {};
  const changed = changeAt(fields[part], rest, to);
  if (changed === undefined) delete fields[part];
  else fields[part] = changed;
  return fields;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
