const PAYLOADS = new Set(['payload', 'output', 'progress']);

/** A copy without the fields that hold what tasks are given and give back. Dates and the like stay as they are. */
export function withoutPayloads<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutPayloads) as Value;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const shown = Object.entries(value).filter(([name]) => !PAYLOADS.has(name));
  return Object.fromEntries(shown.map(([name, each]) => [name, withoutPayloads(each)])) as Value;
}
