import { type Database, findDecidedRuns, finishDecidedRuns, followPool, type RunCursor } from '@escapement/store';
import type { Healed, HealingStep } from './step.ts';

/** Overdue runs that a pass looks at. */
const LOOKED_AT = 1000;

/**
 * Ends queued runs that never begin: their task was deleted or edited, or they fall into a pause or a freeze. A worker that gets their job
 * does the same. Where none is, nobody would write the end, and they would stay queued. Sends on those whose task is in another pool now.
 * Of many overdue runs each pass looks at a part.
 */
export function decidedRunsStep({ db }: { db: Database }): HealingStep {
  let after: RunCursor | undefined;

  async function heal(): Promise<Healed> {
    const { runs, behind, next } = await findDecidedRuns(db, { lookAt: LOOKED_AT, after });
    after = next;
    const ended = runs.length === 0 ? 0 : await finishDecidedRuns(db, runs);
    const sent = await followPool(db, behind);
    return { counts: { decided: ended, left_behind: sent }, more: ended + sent > 0 && next !== undefined };
  }

  return { name: 'decided runs', among: 'live', heal };
}
