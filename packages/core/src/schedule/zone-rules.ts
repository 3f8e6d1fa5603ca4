/** What the clock of a zone does, as it can be written down and compared. All figures are in seconds, instants since the epoch. */
export interface ZoneRules {
  /** Added to an instant gives the wall clock, before the first change. */
  offset: number;
  /** From when on it is another: instants, the earliest first, each with the offset from then on. */
  changes: [at: number, offset: number][];
}

/** A stretch of time in which two sets of rules disagree. */
export interface ZoneDifference {
  from: Date;
  /** The first instant at which they agree again; null: never, as far as both are known. */
  to: Date | null;
  /** Offsets at its start, in seconds. */
  was: number;
  is: number;
}

export function offsetBy({ offset, changes }: ZoneRules, instant: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.[0] ?? 0) <= instant) low = middle + 1;
    else high = middle;
  }
  return changes[low - 1]?.[1] ?? offset;
}

/** Where two sets of rules disagree from an instant on, the earliest first. Stretches that touch are told apart where an offset changes. */
export function zoneDifferences(was: ZoneRules, is: ZoneRules, from: Date): ZoneDifference[] {
  const start = Math.floor(from.getTime() / 1000);
  const edges = [start, ...[...was.changes, ...is.changes].map(([at]) => at).filter((at) => at > start)];
  const instants = [...new Set(edges)].sort((a, b) => a - b);
  return instants.flatMap((at, index): ZoneDifference[] => {
    const [one, other] = [offsetBy(was, at), offsetBy(is, at)];
    if (one === other) return [];
    const next = instants[index + 1];
    return [{ from: new Date(at * 1000), to: next === undefined ? null : new Date(next * 1000), was: one, is: other }];
  });
}
