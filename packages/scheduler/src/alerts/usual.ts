import { type Database, type UsualDuration, usualDurations } from '@escapement/store';

/** From so many runs on a usual duration counts. */
const ENOUGH_RUNS = 20;

/** How long the runs of tasks usually take; nothing of those that ran too seldom to know. */
export async function usualOf(db: Database, taskIds: readonly string[]): Promise<ReadonlyMap<string, UsualDuration>> {
  return await usualDurations(db, [...new Set(taskIds)], ENOUGH_RUNS);
}
