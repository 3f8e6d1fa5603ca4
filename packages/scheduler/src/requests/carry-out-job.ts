import { EscapementError, type LedgerVerification, verifyLedgerJob } from '@escapement/core';
import { verifyNextPiece } from '@escapement/operations';
import type { Database, TakenRequest } from '@escapement/store';

/** Carries out a piece of a job: null, there is more to do. Throws `unknown_request` for what another version asks. */
export async function carryOutJob(
  db: Database,
  taken: TakenRequest,
  processId: string,
): Promise<LedgerVerification | null> {
  const { data: job } = verifyLedgerJob.safeParse(taken.request);
  if (job) return await verifyNextPiece(db, job, taken, processId);
  throw new EscapementError('unknown_request', 'the scheduler does not know this job', {
    fix: 'use an API and schedulers of the same version',
  });
}
