import type { Evidence } from '../evidence.ts';

/** What a look at the evidence found. */
export interface Finding {
  /** How much was looked at, and how near it came. */
  figures: string;
  /** One sentence each; none: it holds. */
  violations: string[];
}

/** A promise of the product, and how to judge it from the evidence alone. */
export interface Invariant {
  /** As in the design: I1, I2, ... */
  id: string;
  title: string;
  check(evidence: Evidence): Finding;
}

/** For the difference that a failed test shows; the report has more. */
const SHOWN = 10;

/** The first violations of an invariant. */
export function firstViolations(
  verdicts: readonly (Finding & { invariant: Invariant })[],
  invariant: Invariant,
): string[] {
  const found = verdicts.find((verdict) => verdict.invariant === invariant);
  return found ? found.violations.slice(0, SHOWN) : ['it was not judged'];
}

/** An instant for people. */
export function at(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
