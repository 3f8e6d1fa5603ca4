import { type Clock, MINUTE } from '@escapement/core';
import { type Database, type UsualDuration, usualDurations } from '@escapement/store';

/** How long the runs of tasks usually take; nothing of those that ran too seldom to know. */
export type Usual = (taskIds: readonly string[]) => Promise<ReadonlyMap<string, UsualDuration>>;

/** From so many runs on a usual duration counts. */
const ENOUGH_RUNS = 20;
/** It is made of hours that are over: it hardly changes in between. */
const KEPT_MS = 10 * MINUTE;

export function createUsual({ db, clock }: { db: Database; clock: Clock }): Usual {
  let asked = new Set<string>();
  let known = new Map<string, UsualDuration>();
  let sinceMs = clock.monotonicMs();

  return async (taskIds) => {
    if (clock.monotonicMs() - sinceMs >= KEPT_MS) {
      asked = new Set();
      known = new Map();
      sinceMs = clock.monotonicMs();
    }
    const fresh = [...new Set(taskIds)].filter((id) => !asked.has(id));
    if (fresh.length === 0) return known;
    for (const [id, usual] of await usualDurations(db, fresh)) if (usual.runs >= ENOUGH_RUNS) known.set(id, usual);
    for (const id of fresh) asked.add(id);
    return known;
  };
}
