/** A place at which two definitions differ, by the names that lead to it: `retry.maxAttempts`. */
export interface Difference {
  path: string;
  /** Undefined: it is not there. */
  from: unknown;
  to: unknown;
}

/** The smallest parts in which two values differ. A list is one part: what has moved in it is seen best as a whole. */
export function differences(path: string, from: unknown, to: unknown): Difference[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  if (!isObject(from) || !isObject(to)) return [{ path, from, to }];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names.flatMap((name) => differences(`${path}.${name}`, from[name], to[name]));
}

/** A value as one reads it: text without quotes, anything else as JSON. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
