import { scheduledForOf } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { isRunOf } from '../postgres/scope.ts';

/** What there is beside the row of a run. */
export interface RunHas {
  /** Attempts before the latest. */
  attempts: boolean;
  /** Marks of what is suspicious. */
  marks: boolean;
  /** Entries of the audit. */
  audit: boolean;
  batches: boolean;
  /** Runs that go back to it, or are still to be started. */
  followers: boolean;
}

/** What there is beside the row of a run: most have none of it, and each is a statement to read. */
export async function whatRunHas(db: Database, runId: string): Promise<RunHas> {
  const [row] = await query<RunHas & { [column: string]: unknown }>(db.hot, 'what_run_has', WHAT_RUN_HAS, [
    db.namespace,
    runId,
    scheduledForOf(runId).toISOString(),
  ]);
  // Equivalent mutant (boolean): a statement without FROM answers with one row.
  return row ?? { attempts: false, marks: false, audit: false, batches: false, followers: false };
}

const WHAT_RUN_HAS = `
SELECT
  EXISTS (SELECT FROM attempt a WHERE a.run_id = $2::uuid AND a.scheduled_for = $3 AND ${isRunOf('$1', '$2::uuid', '$3')}) AS attempts,
  EXISTS (SELECT FROM run_mark m WHERE m.namespace = $1 AND m.run_id = $2::uuid) AS marks,
  EXISTS (SELECT FROM audit a WHERE a.namespace = $1 AND a.subject = 'run:' || $2::uuid) AS audit,
  EXISTS (SELECT FROM batch b WHERE b.namespace = $1 AND b.run_id = $2::uuid) AS batches,
  EXISTS (SELECT FROM any_run c WHERE c.cause_run_id = $2::uuid AND c.namespace = $1)
    OR EXISTS (SELECT FROM any_run c WHERE c.rerun_of = $2::uuid AND c.namespace = $1)
    OR EXISTS (SELECT FROM followers_outbox o WHERE o.run_id = $2::uuid AND o.namespace = $1) AS followers`;
