const PAYLOADS = new Set(['payload', 'output', 'progress']);

/** The values of a difference between two definitions, `{ part, from, to }`. */
const SIDES = new Set(['from', 'to']);

/**
 * A copy without the fields that hold what tasks are given and give back; of a difference in such a part its name stays. Dates and the
 * like stay as they are.
 */
export function withoutPayloads<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutPayloads) as Value;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const isOfPayload = 'part' in value && typeof value.part === 'string' && PAYLOADS.has(value.part);
  const shown = Object.entries(value).filter(([name]) => !PAYLOADS.has(name) && !(isOfPayload && SIDES.has(name)));
  return Object.fromEntries(shown.map(([name, each]) => [name, withoutPayloads(each)])) as Value;
}
