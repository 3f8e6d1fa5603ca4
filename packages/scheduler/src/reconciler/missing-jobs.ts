import { type Database, type DispatchableRun, queuedRuns, type RunCursor } from '@escapement/store';
import { type PutBackOptions, putBack, toRef } from './put-back.ts';
import type { QueueWatch } from './queue-watch.ts';
import type { Healed, HealingStep } from './step.ts';

/** Rows of a pass as long as nothing is wrong: 1,000 cost Redis and Postgres about 3 ms each. */
const CALM_BATCH = 1000;
/** Rows of a pass under a resync request. */
const BATCH = 5000;

export interface MissingJobsOptions extends PutBackOptions {
  db: Database;
}

/** The page of the queued runs after a cursor: those without a job, and where the next page begins; undefined: it was the last. */
export async function findMissingJobs(
  { db, queue }: Pick<MissingJobsOptions, 'db' | 'queue'>,
  page: { after: RunCursor | undefined; limit: number },
): Promise<{ missing: DispatchableRun[]; next: RunCursor | undefined }> {
  const runs = await queuedRuns(db, page);
  const present = await queue.present(runs.map(toRef));
  const last = runs.length === page.limit ? runs.at(-1) : undefined;
  return {
    missing: runs.filter((_, index) => present[index] === false),
    next: last && { dueAt: last.dueAt, id: last.id },
  };
}

/**
 * Adds again what the ledger has as queued and the queue has not, in the order in which it is due: a part of it in
 * each pass, round and round; all of it without a pause when a resync is requested.
 */
export function missingJobsStep(options: MissingJobsOptions, watch: QueueWatch): HealingStep {
  let cursor: RunCursor | undefined;
  let scannedUnder: number | undefined;

  async function heal(): Promise<Healed> {
    const { resyncRequest } = watch;
    if (resyncRequest !== undefined && resyncRequest !== scannedUnder) cursor = undefined;
    scannedUnder = resyncRequest;
    const limit = resyncRequest === undefined ? CALM_BATCH : BATCH;
    const { missing, next } = await findMissingJobs(options, { after: cursor, limit });
    const added = await putBack(missing, options);
    // The scan does not go on past what the queue has not taken, nor is the queue asked again at once.
    if (added < missing.length) return { counts: { missing_job: added }, more: false };
    cursor = next;
    if (resyncRequest !== undefined && !next) await watch.completeResync(resyncRequest);
    return { counts: { missing_job: added }, more: resyncRequest !== undefined };
  }

  // Under a resync request somebody waits for the word that all was compared.
  const isForced = (): boolean => watch.resyncRequest !== undefined;
  return { name: 'missing jobs', among: 'live', isForced, heal };
}
