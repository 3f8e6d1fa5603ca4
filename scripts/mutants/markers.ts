import { lineNumber, type Mutant } from './mutant.ts';

/**
 * A comment above a line names a mutant of it that changes nothing anybody can see: its operator, how the text begins that it replaces, the
 * reason.
 */
const MARKER = /^\s*(?:\/\/|--) Equivalent mutant \(([^,)]+)(?:, (.+?))?\): \S/;

/** They stand before a condition that is removed with them. */
const KEYWORD = /^(?:AND|WHERE|WHEN) /;

export interface Marker {
  /** The number of the line below it, and below the other markers of that line. */
  line: number;
  operator: string;
  /** Empty: it stands for all mutants of the line by this operator. */
  beginning: string;
}

export function markersOf(source: string): Marker[] {
  const lines = source.split('\n').map((line) => MARKER.exec(line));
  return lines.flatMap((match, index) => {
    if (!match) return [];
    const [, operator = '', beginning = ''] = match;
    return [{ line: lines.indexOf(null, index) + 1, operator, beginning }];
  });
}

/** Whether a marker says that the mutant changes nothing. */
export function isMarked(source: string, mutant: Mutant): boolean {
  return markersOf(source).some((marker) => isOf(marker, source, mutant));
}

export function isOf({ line, operator, beginning }: Marker, source: string, mutant: Mutant): boolean {
  return (
    operator === mutant.operator &&
    line === lineNumber(source, mutant) &&
    source.slice(mutant.start).replace(KEYWORD, '').startsWith(beginning)
  );
}
