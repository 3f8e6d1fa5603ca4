import { inUtc, LEDGER_MOVES } from '@escapement/core';
import { type Database, inspectDatabase } from '@escapement/store';

/**
 * What no comparison with schedules can find in that time, in words: a ledger that was found to be a copy, or to lack its last commits,
 * has the rows of what ran again, and none of what ran before. Undefined: nothing of that was noticed.
 */
export async function unseenByVerification(
  db: Database,
  { from, to }: { from: Date; to: Date },
): Promise<string | undefined> {
  const { movedAt, movedHow } = await inspectDatabase(db);
  if (!movedAt || !movedHow || movedAt < from || movedAt > to) return undefined;
  return `${LEDGER_MOVES[movedHow]}, noticed at ${inUtc(movedAt)}: what ran twice because of that no comparison finds; see docs/how-to/back-up-and-restore.md`;
}
