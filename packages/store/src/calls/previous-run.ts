import type { PreviousRun, RunState } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import type { BegunRun } from '../runs/begin-result.ts';
import { callingRun, notCurrent } from './current-run.ts';

/** The last run of a run's task and key before it that has begun and ended; null: there is none. */
export async function previousOf(db: Database, run: BegunRun): Promise<PreviousRun | null> {
  const [row] = await query<PreviousRow>(db.pool, 'previous_run', PREVIOUS_RUN, [
    ...callingRun(db, run),
    run.taskId,
    run.key,
  ]);
  if (!row?.current) throw notCurrent(run);
  if (row.id === null || row.started_at === null || row.finished_at === null) return null;
  const { id, state, reason, output } = row;
  return {
    id,
    state,
    scheduledFor: row.scheduled_for,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    reason,
    output,
  };
}

interface PreviousRow {
  current: boolean;
  id: string | null;
  state: RunState;
  scheduled_for: Date;
  started_at: Date | null;
  finished_at: Date | null;
  reason: string | null;
  output: PreviousRun['output'];
}

const PREVIOUS_RUN = `
SELECT run_is_current($1, $2, $3, $4, $5) AS current, p.*
FROM (SELECT) AS one LEFT JOIN LATERAL (
  SELECT r.id, r.state, r.scheduled_for, r.started_at, r.finished_at, r.reason, r.output FROM any_run r
  -- Equivalent mutant (predicate removed, r.scheduled_for): the next condition says the same: this one leaves out partitions.
  -- Equivalent mutant (border, < ($2::timestamptz): it adds the run that asks: that has not finished, or the call is refused.
  WHERE r.task_id = $6 AND r.key = $7 AND r.namespace = $5 AND r.scheduled_for <= $2 AND (r.scheduled_for, r.id) < ($2::timestamptz, $1::uuid)
    AND r.finished_at IS NOT NULL AND r.started_at IS NOT NULL
  ORDER BY r.scheduled_for DESC, r.id DESC LIMIT 1
) p ON true`;
