import { scheduledForOf } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { isOfJob } from '../runs/admission.ts';

/**
 * Which of these jobs no run waits for: its run is over, gone, under way, or was queued again since. In order. Must be
 * asked after the queue was read: a job is added only after its row is there.
 */
export async function areStale(db: Database, jobs: readonly { runId: string; dispatch: number }[]): Promise<boolean[]> {
  const rows = await query<{ stale: boolean }>(db.hot, 'stale_jobs', STALE_JOBS, [
    jobs.map((job) => job.runId),
    jobs.map((job) => scheduledForOf(job.runId).toISOString()),
    jobs.map((job) => job.dispatch),
    db.namespace,
  ]);
  return rows.map((row) => row.stale);
}

const STALE_JOBS = `
SELECT r.id IS NULL AS stale
FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[]) WITH ORDINALITY AS i(id, scheduled_for, dispatch, place)
LEFT JOIN any_run r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for
  AND r.namespace = $4 AND ${isOfJob('r', 'i.dispatch')}
ORDER BY i.place`;
