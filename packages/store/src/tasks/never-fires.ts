import { keptDays } from './kept-days.ts';
/** Whether the schedule of a task `t` has instants, one after the other. */
export const FIRES_AT_INSTANTS = `t.schedule->>'kind' IN ('cron', 'every', 'rrule')`;

const HAS_NO_NEXT = `${FIRES_AT_INSTANTS}
  AND EXISTS (SELECT FROM task_plan e WHERE e.namespace = t.namespace AND e.task_id = t.id AND e.next_run_at IS NULL)`;

/** A schedule may come to an end as it says itself: by its bounds, its rule, or the years of its expression. */
const HAS_AN_END = `(t.schedule ?| ARRAY['endAt', 'maxRuns'] OR t.schedule->>'rule' ~* '(COUNT|UNTIL)='
  OR t.schedule->>'expression' ~ '^\\s*(\\S+\\s+){6}[^*\\s]')`;

// Edits that leave the schedule as it is are no reason to take it for another one.
const SCHEDULED_SINCE = `greatest(t.created_at, (SELECT max(v.ended_at) FROM task_version v
  WHERE v.task_id = t.id AND v.definition->'schedule' IS DISTINCT FROM t.schedule))`;

/** The ledger still has each run of the schedule, and there is none. */
const NEVER_FIRED = `(SELECT s.since > now() - make_interval(days => ${keptDays('t')})
    AND NOT EXISTS (SELECT FROM any_run r WHERE r.task_id = t.id AND r.scheduled_for >= s.since AND r.origin IN ('schedule', 'catch_up'))
  FROM (SELECT ${SCHEDULED_SINCE} AS since) s)`;

/**
 * Whether the schedule of a task `t` never fires: no day meets it, or its end had passed when it was saved. One that has come to an end as it says
 * itself has fired before. What calendars leave out is planned, as skipped. Asked of few tasks: a CASE keeps the order.
 */
export const NEVER_FIRES = `CASE WHEN ${HAS_NO_NEXT} THEN CASE WHEN ${HAS_AN_END} THEN ${NEVER_FIRED} ELSE true END ELSE false END`;
