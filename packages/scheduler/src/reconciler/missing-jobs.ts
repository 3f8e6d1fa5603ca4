import { type Database, type DispatchableRun, queuedRuns, type RunCursor } from '@escapement/store';
import { type PutBackOptions, putBack, toRef } from './put-back.ts';
import type { QueueWatch } from './queue-watch.ts';
import type { Healed, HealingStep } from './step.ts';

/** Rows that a pass compares at least. */
const LEAST = 1000;
/** Passes in which all rows are compared, however many there are: a lost job is found within the time that I9 allows. */
const PASSES = 8;
/** Rows of one look: what Postgres, Redis and this process work on without a pause. */
const PAGE = 5000;

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
 * each pass, round and round; all of it without a pause when a resync is requested. `queued`: how many rows there are, about.
 */
export function missingJobsStep(options: MissingJobsOptions, watch: QueueWatch, queued: () => number): HealingStep {
  let cursor: RunCursor | undefined;
  let scannedUnder: number | undefined;

  /** `complete`: the queue has taken all that was missing. */
  async function compare(rows: number): Promise<{ added: number; complete: boolean }> {
    let added = 0;
    for (let left = rows; left > 0; left -= PAGE) {
      const { missing, next } = await findMissingJobs(options, { after: cursor, limit: Math.min(left, PAGE) });
      const taken = await putBack(missing, options);
      added += taken;
      // The scan does not go on past what the queue has not taken, nor is the queue asked again at once.
      if (taken < missing.length) return { added, complete: false };
      cursor = next;
      if (!next) break;
    }
    return { added, complete: true };
  }

  async function heal(): Promise<Healed> {
    const { resyncRequest } = watch;
    if (resyncRequest !== undefined && resyncRequest !== scannedUnder) cursor = undefined;
    scannedUnder = resyncRequest;
    const rows = resyncRequest === undefined ? Math.max(LEAST, Math.ceil(queued() / PASSES)) : PAGE;
    const { added, complete } = await compare(rows);
    if (complete && resyncRequest !== undefined && !cursor) await watch.completeResync(resyncRequest);
    return { counts: { missing_job: added }, more: complete && resyncRequest !== undefined };
  }

  // Under a resync request somebody waits for the word that all was compared.
  const isForced = (): boolean => watch.resyncRequest !== undefined;
  return { name: 'missing jobs', among: 'live', isForced, heal };
}
