import { workerOf } from '../processes/worker-of.ts';

/** An occurrence that is not over, and may still be caught up. */
const mayBeCaughtUp = (run: string): string =>
  `(${run}.attempt = 0 AND ${run}.state IN ('planned', 'queued', 'held') AND ${run}.waiting_since IS NULL
    AND (${run}.origin = 'catch_up' OR ${run}.misfire_at < now()))`;

interface Before {
  /** An id of a task, as SQL. */
  taskId: string;
  /** An instant, as SQL. */
  at: string;
  /** The rules of the task, as SQL. */
  rules: string;
  /** The name of the worker whose runs are asked for, as SQL; null: of none. */
  worker: string;
}

/** A row that something else than this program has written may hold anything there: it must not fail the look at all others. */
const most = (rules: string): string => `CASE WHEN jsonb_typeof(${rules}->'catchUp'->'max') = 'number'
  THEN least(greatest((${rules}->'catchUp'->>'max')::numeric, 1), 1000)::integer ELSE 100 END`;

/**
 * Counts the occurrences before an instant that have begun as catch-ups since one that was in time, as far as the policy needs it.
 * Zero if it does not ask.
 */
export const begunBefore = ({ taskId, at, rules, worker }: Before): string => `
  CASE WHEN ${rules}->'catchUp'->>'policy' IN ('earliest', 'all', 'ask') THEN (
    SELECT count(*)::integer FROM (
      SELECT bool_and(b.origin = 'catch_up') OVER (ORDER BY b.scheduled_for DESC) AS together FROM (
        SELECT b.origin, b.scheduled_for FROM any_run b
        WHERE b.task_id = ${taskId} AND b.scheduled_for < ${at} AND ${workerOf('b')} IS NOT DISTINCT FROM ${worker}
          AND b.origin IN ('schedule', 'catch_up') AND b.state NOT IN ('missed', 'superseded') AND NOT ${mayBeCaughtUp('b')}
        ORDER BY b.scheduled_for DESC LIMIT ${most(rules)}) b) c
    WHERE c.together) ELSE 0 END`;

/**
 * An occurrence before an instant may still be caught up. False if the policy does not ask. Most tasks have no policy: `NULL AND EXISTS`
 * would read all their runs.
 */
export const openBefore = ({ taskId, at, rules, worker }: Before): string => `
  CASE WHEN ${rules}->'catchUp'->>'policy' IN ('earliest', 'all', 'ask') THEN EXISTS (SELECT FROM any_run b
    WHERE b.task_id = ${taskId} AND b.scheduled_for < ${at} AND ${workerOf('b')} IS NOT DISTINCT FROM ${worker}
      AND b.phase IN ('live', 'repeating', 'untold', 'held') AND ${mayBeCaughtUp('b')}) ELSE false END`;
