import { type Alerting, type Clock, DEFAULT_ALERTING, SECOND } from '@escapement/core';
import { type Database, readAlerting } from '@escapement/store';

/** A document that was saved counts after so long at the latest. */
const FRESH_MS = 4 * SECOND;

/** The document in force, read now and then. */
export function createRulesInForce({ db, clock }: { db: Database; clock: Clock }): () => Promise<Alerting> {
  let alerting = DEFAULT_ALERTING;
  let version: number | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - readMs < FRESH_MS) return alerting;
    const stored = await readAlerting(db);
    readMs = nowMs;
    // The same object as long as nothing has changed: who keeps something of it knows by that.
    if ((stored?.version ?? 0) !== version) {
      alerting = stored?.definition ?? DEFAULT_ALERTING;
      version = stored?.version ?? 0;
    }
    return alerting;
  };
}
