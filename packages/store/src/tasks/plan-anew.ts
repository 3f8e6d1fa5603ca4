import { UNCOUNTED } from './save-task.ts';

/**
 * What else changes of a task `t` that is planned anew from an instant on, because its calendars or its zone have changed. Rows that are there are
 * adopted where the occurrence stays, and end as superseded at begin where it does not.
 */
export function planAnew(t: string, from: string): string {
  // A schedule that has ended, or counts from the end of a run, is not: its next run is made already, if there is one.
  const isAnew = `${t}.next_run_at IS NOT NULL AND ${t}.schedule->>'kind' <> 'fixed-delay'`;
  return `effective_at = CASE WHEN ${isAnew} THEN GREATEST(${t}.effective_at, ${from}) ELSE ${t}.effective_at END,
    planned_runs = CASE WHEN ${isAnew} THEN ${UNCOUNTED(t, from)} ELSE ${t}.planned_runs END,
    plan_epoch = ${t}.plan_epoch + (${isAnew})::integer,
    plan_seq = ${t}.plan_seq + 1, plan_after = NULL, plan_error = NULL, plan_failures = 0`;
}
