import type { RunQueue } from '@escapement/queue';
import { type Database, type DispatchableRun, queuedRuns } from '@escapement/store';
import type { Emit } from '../events.ts';
import type { Healed, HealingStep } from './step.ts';

const BATCH = 2000;

export interface MissingJobsOptions {
  db: Database;
  queue: RunQueue;
  databaseNow: () => Date | null;
  emit: Emit;
}

/** Adds again what the ledger has as queued and the queue has not. */
export function missingJobsStep({ db, queue, databaseNow, emit }: MissingJobsOptions): HealingStep {
  let cursor: { dueAt: Date; id: string } | undefined;

  async function heal(): Promise<Healed> {
    const runs = await queuedRuns(db, { after: cursor, limit: BATCH });
    const last = runs.at(-1);
    const more = runs.length === BATCH;
    const present = await queue.present(runs.map(toRef));
    // Not before: a Redis that has just come back may take seconds to answer, and each run would be as much late.
    const now = databaseNow();
    if (!now) return { counts: {}, more: false };
    const missing = runs.filter((_, index) => present[index] === false);
    const results = await queue.add(
      missing.map((run) => ({ ...toRef(run), delayMs: run.dueAt.getTime() - now.getTime() })),
    );
    const added = results.filter((result) => result.ok).length;
    const failed = results.find((result) => !result.ok);
    if (failed && !failed.ok) emit({ event: 'dispatch_failed', runs: missing.length - added, error: failed.error });
    cursor = more && last ? { dueAt: last.dueAt, id: last.id } : undefined;
    return { counts: { missing_job: added }, more };
  }

  return { name: 'missing_job', heal };
}

function toRef(run: DispatchableRun): { pool: string; runId: string; dispatch: number } {
  return { pool: run.pool, runId: run.id, dispatch: run.dispatch };
}
