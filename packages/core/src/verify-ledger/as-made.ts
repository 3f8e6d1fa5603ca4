import type { InForce, LedgerRow } from './question.ts';

/**
 * What a row was made by: its version with the calendars that were in force then, and without an end. Rows are made a little
 * ahead of their time, and an edit may come between.
 */
export function asMade(versions: readonly InForce[], { version, createdAt }: LedgerRow): InForce[] {
  const own = versions.filter((each) => each.version === version);
  const known = own.filter(({ knownFrom, effectiveAt }) => (knownFrom ?? effectiveAt) <= createdAt);
  // A definition that counts from a later instant on is in none yet.
  const made = known.length > 0 ? known : own.slice(0, 1);
  return made.map((each, index) => (index === made.length - 1 ? { ...each, endedAt: null } : each));
}

/** When the version of a row ended; null: it has not, or is not known. */
export function endOfVersion(versions: readonly InForce[], row: LedgerRow): Date | null {
  return versions.findLast(({ version }) => version === row.version)?.endedAt ?? null;
}
