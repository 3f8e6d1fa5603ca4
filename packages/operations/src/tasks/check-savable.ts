import { EscapementError, type TaskDefinition } from '@escapement/core';
import type { Database } from '@escapement/store';
import { checkSecrets } from './check-secrets.ts';
import { checkLimit, checkRate, type SavedTogether } from './shared-keys.ts';
import { readOccurrences } from './task-occurrences.ts';

const CHECKS: readonly ((db: Database, definition: TaskDefinition, together: SavedTogether) => Promise<unknown>)[] = [
  (db, definition) => readOccurrences(db, definition),
  (db, definition) => checkSecrets(db, definition),
  checkLimit,
  checkRate,
];

/**
 * All that a save would refuse of a definition for what the database knows: calendars that are not there, secrets that are bound, a
 * limit or rate that another task of its key has otherwise, unless that one is saved together with it. What follows its runs is left to whoever knows what is saved with it.
 */
export async function saveProblems(
  db: Database,
  definition: TaskDefinition,
  together: SavedTogether = [],
): Promise<EscapementError[]> {
  const problems: EscapementError[] = [];
  for (const check of CHECKS)
    try {
      await check(db, definition, together);
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      problems.push(error);
    }
  return problems;
}
