import type { RunState } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

/** How the latest runs of a task went. */
export interface RecentRuns {
  /** The latest runs, the latest first. */
  runs: RecentRun[];
  /** The latest one. */
  last: {
    id: string;
    state: RunState;
    scheduledFor: Date;
    /** When it ended; else when it started; else when it was due. */
    at: Date;
    reason: string | null;
  };
}

export interface RecentRun {
  id: string;
  state: RunState;
  /** From its last start to its end, or until now; null: it has not started. Milliseconds. */
  durationMs: number | null;
}

interface RecentRow {
  task_id: string;
  runs: RecentRun[];
  scheduled_for: Date;
  at: Date;
  reason: string | null;
}

/** The latest runs of tasks, at most so many of each, by the task's id. What is still to come is none, nor what an edit has replaced. */
export async function recentRuns(
  db: Database,
  taskIds: readonly string[],
  count: number,
): Promise<ReadonlyMap<string, RecentRuns>> {
  const rows = await query<RecentRow>(db.hot, 'recent_runs', RECENT_RUNS, [db.namespace, taskIds, count]);
  return new Map(
    rows.flatMap(({ task_id, runs, scheduled_for: scheduledFor, at, reason }) => {
      const [latest] = runs;
      return latest
        ? [[task_id, { runs, last: { id: latest.id, state: latest.state, scheduledFor, at, reason } }]]
        : [];
    }),
  );
}

// For each task the unique index of occurrences, from its end: as many rows as are wanted, whatever the size of the ledger.
const RECENT_RUNS = `
SELECT t.id AS task_id, l.runs, l.instants[1] AS scheduled_for, l.ats[1] AS at, l.reasons[1] AS reason
FROM task t CROSS JOIN LATERAL (
  SELECT json_agg(json_build_object('id', r.id, 'state', r.state, 'durationMs',
      round(extract(epoch FROM coalesce(r.finished_at, now()) - r.started_at) * 1000))) AS runs,
    array_agg(r.scheduled_for) AS instants, array_agg(coalesce(r.finished_at, r.started_at, r.due_at)) AS ats, array_agg(r.reason) AS reasons
  FROM (
    SELECT state, id, scheduled_for, due_at, started_at, finished_at, reason FROM any_run
    WHERE task_id = t.id AND scheduled_for <= now() AND state <> 'superseded' ORDER BY scheduled_for DESC LIMIT $3
  ) r
) l
WHERE t.namespace = $1 AND t.id = ANY ($2::uuid[]) AND l.runs IS NOT NULL`;
