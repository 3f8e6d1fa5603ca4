/** An instant as `2026-03-29T01:00:00Z`, milliseconds only where there are any. */
export function inUtc(at: Date): string {
  return at.toISOString().replace('.000Z', 'Z');
}

/** A count with what is counted: `1 run`, `3 runs`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
