import type { Progress } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

/** What a running attempt says of itself. */
export interface ProgressReport extends Progress {
  runId: string;
  scheduledFor: Date;
  attempt: number;
}

/**
 * Notes how far runs are, with Postgres' time; returns the ids of those it was noted for. Left alone are runs that another statement has locked,
 * have another attempt, or do not run any more.
 */
export async function writeProgress(db: Database, reports: readonly ProgressReport[]): Promise<Set<string>> {
  const rows = await query<{ id: string }>(db.hot, 'write_progress', WRITE_PROGRESS, [
    reports.map((report) => report.runId),
    reports.map((report) => report.scheduledFor.toISOString()),
    reports.map((report) => report.attempt),
    reports.map((report) => report.done),
    reports.map((report) => report.total),
    reports.map((report) => report.note),
    db.namespace,
  ]);
  return new Set(rows.map(({ id }) => id));
}

// Locks are skipped, not waited for: what finishes a run locks it in another order.
const WRITE_PROGRESS = `
WITH picked AS MATERIALIZED (
  SELECT r.id, r.scheduled_for, jsonb_build_object('attempt', i.attempt, 'done', i.done, 'total', i.total,
    'note', i.note, 'at', now()) AS progress
  FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::float8[], $5::float8[], $6::text[])
    AS i(id, scheduled_for, attempt, done, total, note)
  JOIN run r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for
  WHERE r.namespace = $7 AND r.state = 'running' AND r.attempt = i.attempt
  FOR UPDATE OF r SKIP LOCKED
)
UPDATE run r SET progress = p.progress FROM picked p WHERE r.id = ANY (ARRAY[p.id]) AND r.scheduled_for = p.scheduled_for
RETURNING r.id`;
