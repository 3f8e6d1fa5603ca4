/**
 * How far a task is planned stands in a row of its own (`task_plan`), which planning writes alone. Who changes the task itself writes both:
 * first it locks the row of the plan as it was read, then it changes both rows in the same statement. So a planner that has read the task as
 * it was before moves nothing, and what is read of the task under that lock is what is in force.
 */

/** Of a row of `task_plan` that changes in any way but by planning: nobody who has read it before may write it, and it is tried at once. */
export const MOVED = 'plan_seq = plan.plan_seq + 1, plan_after = NULL, plan_error = NULL, plan_failures = 0';

/** A CTE `seen`: the task of a condition on `t`, its plan locked, if that is still as it was read. $1 is the namespace. */
export const seenPlan = (which: string, planSeq: string): string => `seen AS MATERIALIZED (
  SELECT plan.task_id FROM task t JOIN task_plan plan ON plan.task_id = t.id
  WHERE t.namespace = $1 AND ${which} AND plan.plan_seq = ${planSeq}::integer AND t.deleted_at IS NULL
  FOR NO KEY UPDATE OF plan
)`;

/** The count of planned runs of a task `t` without those that have not begun and that a new plan from `from` on counts again. */
export const UNCOUNTED = (from: string): string => `CASE WHEN t.schedule ? 'maxRuns' THEN plan.planned_runs - (
    SELECT count(*)::integer FROM run r WHERE r.task_id = t.id AND r.scheduled_for >= ${from}::timestamptz
      AND r.state IN ('planned', 'queued') AND r.attempt = 0 AND r.origin IN ('schedule', 'catch_up')) ELSE 0 END`;

// A schedule that has ended, or counts from the end of a run, is not planned anew: its next run is made already, if there is one.
const IS_ANEW = `plan.next_run_at IS NOT NULL AND t.schedule->>'kind' <> 'fixed-delay'`;

/**
 * CTEs that have the tasks of `seen` planned anew from an instant on, because their calendars, their zone or the side that runs them has
 * changed: `moved` answers with their ids. Rows that are there are adopted where the occurrence stays, and end as superseded at begin where
 * it does not. `also`: what else changes of the task `t`.
 */
export const planAnew = (options: {
  seen: string;
  nextRunAt: string;
  from: string;
  also?: string;
}): string => `anew AS MATERIALIZED (
  SELECT t.id, ${IS_ANEW} AS is_anew, ${options.nextRunAt} AS next_run_at,
    CASE WHEN ${IS_ANEW} THEN ${UNCOUNTED(options.from)} ELSE plan.planned_runs END AS planned_runs
  FROM ${options.seen} JOIN task_plan plan ON plan.task_id = seen.task_id JOIN task t ON t.id = seen.task_id
), planned AS (
  UPDATE task_plan plan SET next_run_at = a.next_run_at, planned_runs = a.planned_runs, ${MOVED}
  FROM anew a WHERE plan.task_id = a.id
), moved AS (
  UPDATE task t SET effective_at = CASE WHEN a.is_anew THEN GREATEST(t.effective_at, ${options.from}) ELSE t.effective_at END,
    plan_epoch = t.plan_epoch + a.is_anew::integer${options.also ? `, ${options.also}` : ''}
  FROM anew a WHERE t.id = a.id
  RETURNING t.id
)`;
