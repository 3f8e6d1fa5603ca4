import { type Database, type DispatchableRun, queuedRuns } from '@escapement/store';
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

/**
 * Adds again what the ledger has as queued and the queue has not, in the order in which it is due: a part of it in
 * each pass, round and round; all of it without a pause when a resync is requested.
 */
export function missingJobsStep(options: MissingJobsOptions, watch: QueueWatch): HealingStep {
  let cursor: { dueAt: Date; id: string } | undefined;
  let walkedUnder: number | undefined;

  async function heal(): Promise<Healed> {
    const { resyncRequest } = watch;
    if (resyncRequest !== undefined && resyncRequest !== walkedUnder) cursor = undefined;
    walkedUnder = resyncRequest;
    const limit = resyncRequest === undefined ? CALM_BATCH : BATCH;
    const runs = await queuedRuns(options.db, { after: cursor, limit });
    const { added, refused } = await addMissing(runs);
    // The walk does not go on past what the queue has not taken, nor is the queue asked again at once.
    if (refused > 0) return { counts: { missing_job: added }, more: false };
    const last = runs.length === limit ? runs.at(-1) : undefined;
    cursor = last && { dueAt: last.dueAt, id: last.id };
    if (resyncRequest !== undefined && !last) await watch.completeResync(resyncRequest);
    return { counts: { missing_job: added }, more: resyncRequest !== undefined };
  }

  async function addMissing(runs: readonly DispatchableRun[]): Promise<{ added: number; refused: number }> {
    const present = await options.queue.present(runs.map(toRef));
    const missing = runs.filter((_, index) => present[index] === false);
    const added = await putBack(missing, options);
    return { added, refused: missing.length - added };
  }

  return { name: 'missing jobs', heal };
}
