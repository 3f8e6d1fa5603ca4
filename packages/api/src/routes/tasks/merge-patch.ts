/** What says which of several forms an object has: a schedule's `kind`, a handler's `type`. */
const FORMS = ['kind', 'type'];

/**
 * A value with a JSON merge patch put over it (RFC 7396): objects are merged, null takes out, all else replaces. An object of another form
 * replaces the one that is there: fields of an interval mean nothing to a cron expression.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const isKept = isObject(target) && FORMS.every((form) => patch[form] === undefined || patch[form] === target[form]);
  const merged = new Map(isKept ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
