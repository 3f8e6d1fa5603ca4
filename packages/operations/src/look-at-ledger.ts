import { type Database, type DriftFound, findLedgerDrift, lostRuns } from '@escapement/store';

const LIMIT = 1000;

/**
 * What the reconciler would put right with Postgres alone. Changes nothing. `deadMs` as the reconciler has it. The runs of
 * silent workers are among them, also those that a lease still proves, which the reconciler leaves alone.
 */
export async function lookAtLedger(db: Database, deadMs: number): Promise<DriftFound[]> {
  const lost = await lostRuns(db, { silentMs: deadMs, limit: LIMIT });
  const found = await findLedgerDrift(db, LIMIT);
  return [...lost.map(({ runId }): DriftFound => ({ kind: 'lost_run', subject: runId })), ...found];
}
