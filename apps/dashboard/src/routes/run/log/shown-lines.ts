import { isAtLeast, type Level, type LogLine } from './log-lines.ts';

export interface LineFilter {
  filter: string;
  level: Level | null;
}

/**
 * The lines that a filter leaves, kept from one look to the next: of a log that grows, only what has come is looked at, and for a filter to
 * which letters were added only what the one before has left. All of 10 MiB at each letter would hold the page up.
 */
export class ShownLines {
  #log: readonly LogLine[] = [];
  #by: LineFilter = { filter: '', level: null };
  #shown: readonly LogLine[] = [];

  /** `log`: all lines there are by now; those that were there before are the same, but for the last one, which may have grown. */
  of(log: readonly LogLine[], { filter, level }: LineFilter): readonly LogLine[] {
    const by = { filter: filter.toLowerCase(), level };
    if (log === this.#log && by.filter === this.#by.filter && level === this.#by.level) return this.#shown;
    const isSaid = (line: LogLine) => (level === null || isAtLeast(line, level)) && line.lower.includes(by.filter);
    const settled = this.#settledIn(log);
    const isNarrower = by.filter.includes(this.#by.filter) && (this.#by.level === null || this.#by.level === level);
    const before = isNarrower ? this.#shown.slice(0, placeOf(this.#shown, settled)) : log.slice(0, settled);
    const isSame = isNarrower && by.filter === this.#by.filter && level === this.#by.level;
    this.#shown = [...(isSame ? before : before.filter(isSaid)), ...log.slice(settled).filter(isSaid)];
    this.#log = log;
    this.#by = by;
    return this.#shown;
  }

  /** So many lines at the beginning of a log are those of the one before. */
  #settledIn(log: readonly LogLine[]): number {
    const last = this.#log.length - 1;
    if (last < 0 || log[0] !== this.#log[0]) return 0;
    return log[last] === this.#log[last] ? last + 1 : last;
  }
}

/** Where the first line of this number or a later one stands. */
function placeOf(lines: readonly LogLine[], at: number): number {
  let [from, to] = [0, lines.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((lines[middle]?.at ?? at) < at) from = middle + 1;
    else to = middle;
  }
  return from;
}
