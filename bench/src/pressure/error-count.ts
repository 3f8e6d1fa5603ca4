const SHOWN = 3;
const SHOWN_LETTERS = 140;
const ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Counts lines of errors by kind: lines of one kind differ in ids and numbers alone. */
export function createErrorCount() {
  const counts = new Map<string, number>();
  return {
    add(line: string): void {
      const kind = line.replace(ID, 'ID').replace(/\d+/g, 'N').slice(0, SHOWN_LETTERS);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    },
    /** The most frequent kinds with their counts, and forgets all. */
    take(): string[] {
      const shown = [...counts].sort(([, one], [, other]) => other - one).slice(0, SHOWN);
      counts.clear();
      return shown.map(([kind, count]) => `${count} x ${kind}`);
    },
  };
}
