import { weekStatement } from '../partitions/week-statement.ts';
import type { Database } from '../postgres/database.ts';
import { isOfJob } from './admission.ts';

export interface QueuedRun {
  id: string;
  scheduledFor: Date;
  /** The dispatch number its job carries: one more than the row's. */
  dispatch: number;
}

/**
 * Notes that the queue holds these runs. Rows that a worker has begun meanwhile, or is beginning now, are left alone.
 */
export async function markQueued(db: Database, runs: readonly QueuedRun[]): Promise<void> {
  await markRows(db, runs, [
    runs.map((run) => run.id),
    runs.map((run) => run.scheduledFor.toISOString()),
    runs.map((run) => run.dispatch),
    db.namespace,
  ]);
}

const markRows = weekStatement(
  'mark_queued',
  (run) => `
input AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[]) AS i(id, scheduled_for, dispatch)
), picked AS MATERIALIZED (
  SELECT r.id, r.scheduled_for, i.dispatch FROM input i
  JOIN ${run} r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for
  WHERE r.namespace = $4 AND r.state <> 'queued' AND ${isOfJob('r', 'i.dispatch')}
  FOR UPDATE OF r SKIP LOCKED
), last AS (
  UPDATE ${run} r SET state = 'queued', dispatch = p.dispatch
  FROM picked p WHERE r.id = ANY (ARRAY[p.id]) AND r.scheduled_for = p.scheduled_for
  RETURNING r.id
)`,
);
