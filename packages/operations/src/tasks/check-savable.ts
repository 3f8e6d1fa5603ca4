import { EscapementError, type TaskDefinition } from '@escapement/core';
import type { Database } from '@escapement/store';
import { checkSecrets } from './check-secrets.ts';
import { checkLimit } from './save-task.ts';
import { readOccurrences } from './task-occurrences.ts';
import { checkRate } from './task-rate.ts';

const CHECKS: readonly ((db: Database, definition: TaskDefinition) => Promise<unknown>)[] = [
  readOccurrences,
  checkSecrets,
  checkLimit,
  checkRate,
];

/**
 * All that a save would refuse of a definition for what the database knows: calendars that are not there, secrets that are bound, a
 * limit or rate that another task of its key has otherwise. What follows its runs is left to whoever knows what is saved with it.
 */
export async function saveProblems(db: Database, definition: TaskDefinition): Promise<EscapementError[]> {
  const problems: EscapementError[] = [];
  for (const check of CHECKS)
    try {
      await check(db, definition);
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      problems.push(error);
    }
  return problems;
}
