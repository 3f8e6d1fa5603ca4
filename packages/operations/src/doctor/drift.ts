import type { DriftKind } from '@escapement/core';
import { DRIFT_KINDS } from '@escapement/core';
import type { DriftFound, DriftRecord } from '@escapement/store';

/** What there is to say of one kind of difference between queue and ledger. */
export interface DriftRow {
  kind: DriftKind;
  /** Found at the second look. */
  found: number;
  /** Found at both: a reconciler should have repaired it in between. */
  lasting: number;
  /** Runs, or slots of keys; the lasting ones first. */
  examples: string[];
  /** When the reconciler last put some right, and how many it ever did. */
  repairedAt: Date | null;
  repaired: bigint;
}

const EXAMPLES = 3;

/** The kinds that were found at the second of two looks, or ever. */
export function driftRows(
  first: readonly DriftFound[],
  second: readonly DriftFound[],
  records: readonly DriftRecord[],
): DriftRow[] {
  return DRIFT_KINDS.map((kind) => {
    const before = new Set(subjectsOf(first, kind));
    const now = subjectsOf(second, kind);
    const lasting = now.filter((subject) => before.has(subject));
    const record = records.find((each) => each.kind === kind);
    return {
      kind,
      found: now.length,
      lasting: lasting.length,
      examples: [...new Set([...lasting, ...now])].slice(0, EXAMPLES),
      repairedAt: record?.foundAt ?? null,
      repaired: record?.total ?? 0n,
    };
  }).filter(({ found, repaired }) => found > 0 || repaired > 0n);
}

function subjectsOf(found: readonly DriftFound[], kind: DriftKind): string[] {
  return found.filter((each) => each.kind === kind).map(({ subject }) => subject);
}
