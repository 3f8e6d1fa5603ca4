import { type Database, query } from '../postgres/database.ts';
import { isTaskOf } from '../postgres/scope.ts';

/** The runs that a schedule with `maxRuns` has had. */
export interface CountedRuns {
  /** Since when they are counted: from the first of the versions on that have an end, one after the other. */
  since: Date;
  /** Runs up to the end of the question's time. */
  runs: number;
  /** Occurrences that are in a row since then, whatever became of them. */
  occurrences: number;
  /** No version came after the one that was asked about. */
  isLatest: boolean;
  /** Runs in (from, to] beyond the most there may be by the version that made them. */
  surplus: { id: string; scheduledFor: Date; nth: number; maxRuns: number }[];
}

/**
 * Counts the runs of a task as the planner counts them: what it made to be run, whatever became of it then. What an edit of a calendar
 * excludes after it was queued is planned anew, and counted no longer; nor is what a new definition finds too late (`planRuns` gives both
 * dispatch 0).
 */
export async function countedRuns(
  db: Database,
  options: { taskId: string; version: number; from: Date; to: Date; limit: number },
): Promise<CountedRuns> {
  const { taskId, version, from, to, limit } = options;
  const [row] = await query<{
    since: Date;
    runs: number;
    occurrences: number;
    is_latest: boolean;
    surplus: { id: string; scheduled_for: string; nth: number; max_runs: number }[] | null;
  }>(db.pool, 'counted_runs', COUNTED_RUNS, [
    taskId,
    version,
    from.toISOString(),
    to.toISOString(),
    limit,
    db.namespace,
  ]);
  return {
    since: row?.since ?? from,
    runs: row?.runs ?? 0,
    occurrences: row?.occurrences ?? 0,
    isLatest: row?.is_latest ?? false,
    surplus: (row?.surplus ?? []).map((each) => ({
      id: each.id,
      scheduledFor: new Date(each.scheduled_for),
      nth: each.nth,
      maxRuns: each.max_runs,
    })),
  };
}

// A version that ended before the next one began may have been deleted, and the count have begun anew: what is
// surely too much is counted from then on, what is surely too little from the first.
const COUNTED_RUNS = `
WITH version AS (
  SELECT v.version, v.effective_at, lag(v.ended_at) OVER w AS before_ended,
    lag(v.definition->'schedule' ? 'maxRuns') OVER w AS before_limited
  FROM task_version v WHERE v.task_id = $1 AND v.version <= $2 AND ${isTaskOf('$6', '$1')}
  WINDOW w AS (ORDER BY v.version)
), bounds AS (
  SELECT max(effective_at) FILTER (WHERE before_limited IS NOT TRUE) AS since,
    max(version) FILTER (WHERE before_limited IS NOT TRUE) AS first_version,
    max(effective_at) FILTER (WHERE before_limited IS NOT TRUE OR before_ended < effective_at) AS surely_since
  FROM version
), counted AS (
  SELECT r.id, r.scheduled_for, r.occurrences, r.task_version,
    (r.dispatch > 0 OR r.origin = 'catch_up' OR r.state IN ('planned', 'held')) AS to_run
  FROM any_run r, bounds b
  WHERE r.task_id = $1 AND r.namespace = $6 AND r.scheduled_for >= b.since AND r.scheduled_for <= $4
    AND r.origin IN ('schedule', 'catch_up') AND r.state <> 'superseded' AND r.task_version >= b.first_version
), surplus AS (
  -- A version that allows fewer runs than one before it had is over at once: those were not too many.
  SELECT n.id, n.scheduled_for, n.nth, (v.definition->'schedule'->>'maxRuns')::integer AS max_runs FROM (
    SELECT c.id, c.scheduled_for, c.task_version, row_number() OVER (ORDER BY c.scheduled_for)::integer AS nth
    FROM counted c, bounds b WHERE c.to_run AND c.scheduled_for >= b.surely_since
  ) n JOIN task_version v ON v.task_id = $1 AND v.version = n.task_version
  WHERE n.nth > (v.definition->'schedule'->>'maxRuns')::integer AND n.scheduled_for > $3 ORDER BY n.nth LIMIT $5
)
SELECT b.since, (SELECT count(*) FILTER (WHERE to_run)::integer FROM counted) AS runs,
  (SELECT coalesce(sum(occurrences), 0)::integer FROM counted) AS occurrences,
  NOT EXISTS (SELECT FROM task_version n WHERE n.task_id = $1 AND n.version > $2 AND ${isTaskOf('$6', '$1')}) AS is_latest,
  (SELECT jsonb_agg(to_jsonb(s) ORDER BY s.nth) FROM surplus s) AS surplus
FROM bounds b`;
