import { type Database, type DriftFound, LEDGER_REPAIRS, lostRuns } from '@escapement/store';

const LIMIT = 1000;

/**
 * What the reconciler would put right with Postgres alone. Changes nothing. `deadMs` as the reconciler has it. The runs of
 * silent workers are among them, also those that a lease still proves, which the reconciler leaves alone.
 */
export async function lookAtLedger(db: Database, deadMs: number): Promise<DriftFound[]> {
  const lost = await lostRuns(db, { silentMs: deadMs, limit: LIMIT });
  const findings = await Promise.all(LEDGER_REPAIRS.map((repair) => repair.find(db, { limit: LIMIT, deadMs })));
  return [
    ...lost.map(({ runId }): DriftFound => ({ kind: 'lost_run', subject: runId })),
    ...findings.flatMap(({ drift }) => drift),
  ];
}
