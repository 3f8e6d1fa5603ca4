import { type Clock, SECOND } from '@escapement/core';
import { type Alerting, DEFAULT_ALERTING } from '@escapement/core/alerts';
import { type Database, readAlerting } from '@escapement/store';

/** A document that was saved counts after so long at the latest. */
const FRESH_MS = 4 * SECOND;

/** `now`: as it is saved at this moment, for what is judged once. */
export type RulesInForce = (as?: 'of late' | 'now') => Promise<Alerting>;

/** The document in force, read now and then. */
export function createRulesInForce({ db, clock }: { db: Database; clock: Clock }): RulesInForce {
  let alerting = DEFAULT_ALERTING;
  let version: number | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  return async (as = 'of late') => {
    const nowMs = clock.monotonicMs();
    if (as === 'of late' && nowMs - readMs < FRESH_MS) return alerting;
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
