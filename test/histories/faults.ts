/** What is due is compared when it is as old as this. */
const OLD_ENOUGH = `interval '11 s'`;

/** Of a row `r` and its task `t`: it accounts for something that was due by its own version. */
export const IS_SOUND = `r.state IN ('succeeded', 'failed', 'skipped', 'missed') AND r.scheduled_for < now() - ${OLD_ENOUGH}
  AND EXISTS (SELECT FROM task_version v WHERE v.task_id = r.task_id AND v.version = r.task_version
    AND v.effective_at <= r.scheduled_for AND (v.ended_at IS NULL OR v.ended_at > r.scheduled_for))`;

export interface Fault {
  what: string;
  /** What a row must be for the fault to change something that can be known. */
  where: string;
  /** Given `one`, the row. */
  does: string;
}

const version = (expression: string) =>
  `(SELECT ${expression} FROM task_version v WHERE v.task_id = r.task_id AND v.version = r.task_version)`;
const COUNTS_FROM_END = `${version(`v.definition->'schedule'->>'kind'`)} = 'fixed-delay'`;
/** The next one is not due to the millisecond: one that falls just before an edit may also have fallen behind it. */
const MAY_BE_AFTER_EDIT = `(${COUNTS_FROM_END} AND ${version('v.ended_at')} IS NOT NULL AND r.scheduled_for >= ${version('v.ended_at')} - interval '500 ms')`;
/** For a minute nothing is said of the next one: the end of the run before it may just have been written. */
const MAY_BE_TO_COME = `(${COUNTS_FROM_END} AND r.scheduled_for >= now() - interval '61 s')`;
const RAN = `r.state IN ('succeeded', 'failed')`;
const covers = (times: string) =>
  `${times}.from_at <= r.scheduled_for AND (${times}.until_at IS NULL OR ${times}.until_at > r.scheduled_for)`;
const IN_PAUSE = `EXISTS (SELECT FROM task_pause p WHERE p.task_id = r.task_id AND ${covers('p')})`;
const IN_FREEZE = `EXISTS (SELECT FROM fleet_freeze z WHERE z.namespace = r.namespace AND ${covers('z')})`;
const RESTED = `r.state = 'skipped' AND (r.reason LIKE 'paused%' OR r.reason LIKE 'the fleet was frozen%')`;
const EXCLUDED = `r.state = 'skipped' AND r.reason LIKE 'excluded by calendar %'`;
const SKIP = `started_at = NULL, attempt = 0`;
const RUN = `state = 'succeeded', reason = NULL, attempt = 1, fence = 1, worker = 'worker-1'`;

/**
 * What somebody may do to rows who writes into the tables by hand. `where` says which of it changes nothing that can be known:
 *
 * - What a handler came to, and how long it took, is known from its row only.
 * - A schedule that counts from the end of a run has no instants of its own: a row half a second off is no finding, nor is what
 *   falls into the last half second before an edit, or was due less than a minute ago.
 * - What was beginning while a pause, or a calendar, was saved may not have seen it: for ten seconds nothing is said of it.
 * - A pause and a freeze of the same time say the same; so does a reason that names one where the other is.
 * - A row is judged by the calendars at the time when it was made: those that were edited before it was due say nothing.
 */
export const FAULTS: readonly Fault[] = [
  {
    what: 'its row is gone',
    where: `NOT ${MAY_BE_AFTER_EDIT} AND NOT ${MAY_BE_TO_COME}`,
    does: 'DELETE FROM run USING one WHERE run.id = one.id',
  },
  {
    what: 'its row says that an edit has superseded it',
    where: `NOT ${MAY_BE_AFTER_EDIT} AND NOT ${MAY_BE_TO_COME}`,
    does: `UPDATE run SET state = 'superseded', reason = 'the task was edited', until_at = NULL, occurrences = 1 FROM one WHERE run.id = one.id`,
  },
  {
    what: 'its row is of another instant',
    where: `r.until_at IS NULL AND NOT ${COUNTS_FROM_END}`,
    does: `UPDATE run SET scheduled_for = run.scheduled_for - interval '137 ms', due_at = run.due_at - interval '137 ms'
      FROM one WHERE run.id = one.id`,
  },
  {
    what: 'its row is of a later instant',
    where: `r.until_at IS NULL AND ${COUNTS_FROM_END}`,
    does: `UPDATE run SET scheduled_for = run.scheduled_for + interval '737 ms', due_at = run.due_at + interval '737 ms'
      FROM one WHERE run.id = one.id`,
  },
  {
    what: 'a second row says that it was due just after',
    where: `r.until_at IS NULL AND (NOT ${COUNTS_FROM_END} OR r.started_at IS NOT NULL)`,
    does: `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap,
        pool, due_at, dispatch, attempt, fence, worker, started_at, finished_at, created_at)
      SELECT gen_random_uuid(), r.scheduled_for + interval '137 ms', r.namespace, r.task_id, r.task_version, r.plan_epoch, r.origin,
        'succeeded', NULL, r.key, r.key_limit, r.overlap, r.pool, r.due_at, 1, 1, 1, 'worker-1', r.due_at + interval '1 day',
        r.due_at + interval '1 day', r.created_at FROM run r JOIN one ON r.id = one.id`,
  },
  {
    what: 'it began before it was due',
    where: RAN,
    does: `UPDATE run SET started_at = run.due_at - interval '1 s' FROM one WHERE run.id = one.id`,
  },
  {
    what: 'a stretch counts one more',
    where: 'r.until_at IS NOT NULL',
    does: 'UPDATE run SET occurrences = run.occurrences + 1 FROM one WHERE run.id = one.id',
  },
  {
    what: 'it was skipped for a pause that there was not',
    where: `${RAN} AND NOT ${IN_PAUSE} AND NOT ${IN_FREEZE}`,
    does: `UPDATE run SET state = 'skipped', reason = 'paused', ${SKIP} FROM one WHERE run.id = one.id`,
  },
  {
    what: 'it was skipped for a freeze that there was not',
    where: `${RAN} AND NOT ${IN_PAUSE} AND NOT ${IN_FREEZE}`,
    does: `UPDATE run SET state = 'skipped', reason = 'the fleet was frozen: moving', ${SKIP} FROM one WHERE run.id = one.id`,
  },
  {
    what: 'it was skipped for a calendar that its task does not use',
    where: `${RAN} AND ${version(`NOT v.definition ? 'calendars'`)}`,
    does: `UPDATE run SET state = 'skipped', reason = 'excluded by calendar closed: closed', ${SKIP} FROM one WHERE run.id = one.id`,
  },
  {
    what: 'the pause that skipped it is gone',
    where: `${RESTED} AND ${IN_PAUSE} AND NOT ${IN_FREEZE}`,
    does: `DELETE FROM task_pause p USING run r, one WHERE r.id = one.id AND p.task_id = r.task_id AND ${covers('p')}`,
  },
  {
    what: 'the pause that skipped it begins later',
    where: `${RESTED} AND ${IN_PAUSE} AND NOT ${IN_FREEZE}`,
    does: `UPDATE task_pause p SET from_at = r.scheduled_for + interval '1 ms', until_at = greatest(p.until_at, r.scheduled_for + interval '1 ms')
      FROM run r, one WHERE r.id = one.id AND p.task_id = r.task_id AND ${covers('p')}`,
  },
  {
    what: 'a pause was added in which it ran',
    where: `${RAN} AND r.attempt = 1 AND r.started_at < r.scheduled_for + interval '10 s'`,
    does: `INSERT INTO task_pause (task_id, from_at, until_at, created_by)
      SELECT r.task_id, r.started_at - interval '11 s', r.scheduled_for + interval '1 ms', 'somebody' FROM run r JOIN one ON r.id = one.id`,
  },
  {
    what: 'it ran in a pause',
    where: `${RESTED} AND r.until_at IS NULL AND (${IN_PAUSE} OR ${IN_FREEZE})`,
    does: `UPDATE run SET ${RUN}, started_at = run.due_at + interval '11 s' FROM one WHERE run.id = one.id`,
  },
  {
    what: 'it ran though a calendar excludes it',
    where: `${EXCLUDED} AND r.until_at IS NULL AND r.created_at > ${version('v.effective_at')} AND NOT EXISTS (SELECT FROM calendar_version c
      WHERE c.namespace = r.namespace AND c.created_at BETWEEN r.created_at AND r.scheduled_for)`,
    does: `UPDATE run SET ${RUN}, started_at = greatest(run.due_at, run.created_at) + interval '11 s' FROM one WHERE run.id = one.id`,
  },
];

/** What is done to the tasks of a fleet at once. */
export const FREEZE_IS_GONE: Fault = {
  what: 'the freeze that skipped it is gone',
  where: `${RESTED} AND ${IN_FREEZE} AND NOT ${IN_PAUSE}`,
  does: `DELETE FROM fleet_freeze z USING run r, one WHERE r.id = one.id AND z.namespace = r.namespace AND ${covers('z')}`,
};
