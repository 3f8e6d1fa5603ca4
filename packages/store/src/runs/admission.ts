import { NOT_BEGUN_CODES, type NotBegunCode } from '@escapement/core';
import { isInPausedPool } from '../pools/pause-of-pool.ts';
import { isInRatedPool } from '../pools/rate-of-pool.ts';
import { NEWEST_FIRST, OLDEST_FIRST, ORDERED } from './overlap-policies.ts';

/**
 * Whether a run may begin, written once. Each function gives a condition as SQL over the caller's aliases: true where it
 * holds, else false and never null, so that it can be negated. `run`: an alias with the columns of `run`; `task`: one with
 * those of `task`; `dispatch`: the dispatch number of the job in hand. What must not begin for several of them is told the
 * first: see REFUSALS. What functions of the database ask as well is itself one (`run_is_...`, `run_has_...`), whose text
 * Postgres puts into the statement when it plans it.
 */

/** The run waits for just this job: it was queued with it, or not yet marked as queued. */
export const isOfJob = (run: string, dispatch: string): string =>
  `run_is_of_job(${run}.state, ${run}.dispatch, ${dispatch})`;

/** The run is in one of these queues; `queues` is null for any. A job names runs of its own queue, unless somebody forged it. */
export const isInQueues = (run: string, queues: string): string =>
  `(${queues}::text[] IS NULL OR queue_of(${run}.pool, ${run}.need) = ANY (${queues}::text[]))`;

/** Whether the run takes no slot, or one that its key has. */
export const hasSlot = (run: string, slot: string): string =>
  `(${slot} IS NULL OR ${slot} BETWEEN 1 AND ${run}.key_limit)`;

/** It is to be cancelled: no attempt of it begins. */
export const isCancelled = (run: string): string => `run_is_cancelled(${run}.cancel_requested_at)`;

/** Its task is deleted, or was since the run was made: to save the name again brings back the task, and none of its runs. */
export const isOfDeletedTask = (run: string, task: string): string =>
  `(${task}.deleted_at IS NOT NULL OR ${run}.plan_epoch < ${task}.since_epoch)`;

/** An occurrence of the schedule that has not begun: edits and pauses of its task are for these alone. */
const isOccurrence = (run: string): string => `${run}.attempt = 0 AND ${run}.origin IN ('schedule', 'catch_up')`;

/** Planned before an edit, for an instant after it: after the last one, or after that which ended its own version. */
export const isEdited = (run: string, task: string): string =>
  `(${run}.plan_epoch <> ${task}.plan_epoch AND ${isOccurrence(run)} AND (${run}.scheduled_for >= ${task}.effective_at OR ${outlivesVersion(run)}))`;

/** An occurrence that has not begun, and whose version of the task ended before its instant. */
export const isEndedAhead = (run: string): string => `(${isOccurrence(run)} AND ${outlivesVersion(run)})`;

const outlivesVersion = (run: string): string =>
  `EXISTS (SELECT FROM task_version v WHERE v.task_id = ${run}.task_id AND v.version = ${run}.task_version AND v.ended_at <= ${run}.scheduled_for)`;

/** The pause `pause` covers an instant: from its first to before its last. */
export const covers = (pause: string, at: string): string =>
  `${pause}.from_at <= ${at} AND (${pause}.until_at IS NULL OR ${at} < ${pause}.until_at)`;

/** Its instant falls into a pause of its task. */
export const isPaused = (run: string): string =>
  `(${isOccurrence(run)} AND EXISTS (SELECT FROM task_pause p WHERE p.task_id = ${run}.task_id AND ${covers('p', `${run}.scheduled_for`)}))`;

/** The fleet is frozen at its instant. What a run has decided to be the next one of its task is an occurrence as well. */
export const isFrozen = (run: string): string =>
  `((${isOccurrence(run)} OR ${run}.attempt = 0 AND ${run}.origin = 'chain' AND ${run}.ordinal = -1)
    AND EXISTS (SELECT FROM fleet_freeze z WHERE z.namespace = ${run}.namespace AND ${covers('z', `${run}.scheduled_for`)}))`;

/** Its start deadline has passed before it began. */
export const hasMissedStart = (run: string): string =>
  `(${run}.attempt = 0 AND ${run}.start_by IS NOT NULL AND ${run}.start_by < now())`;

/** Its task is in another pool than the run, which belongs to no worker. */
export const isInOtherPool = (run: string, task: string): string =>
  `(${run}.pool <> ${task}.pool AND worker_of(${run}.need) IS NULL)`;

const isDue = (run: string): string => `run_is_due(${run}.due_at)`;

export const isEarly = (run: string): string => `(NOT ${isDue(run)})`;

/**
 * Past its misfire threshold, however often its job was lost: a scheduler judges it, and queues it anew if it is to run. One that has
 * waited for its key came in time.
 */
export const isMisfired = (run: string): string =>
  `(${run}.misfire_at IS NOT NULL AND ${run}.misfire_at < now() AND ${run}.attempt = 0 AND ${run}.waiting_since IS NULL)`;

/** A job that came now would find it misfired. */
export const wouldMisfire = (run: string): string => `(${run}.state IN ('planned', 'queued') AND ${isMisfired(run)})`;

/** The run of its key that goes before it by the order of its overlap policy; null: none. */
const waitQueueAhead = (run: string, together?: string): string =>
  `wait_queue_ahead(${[`${run}.namespace`, `${run}.key`, `${run}.overlap`, `${run}.scheduled_for`, `${run}.id`, ...(together ? [together] : [])].join(', ')})`;

/** As `waitQueueAhead`, asked only of a run whose policy has an order, and that has not begun. */
export const aheadOf = (run: string): string =>
  `CASE WHEN ${run}.attempt = 0 AND ${run}.overlap IN ${ORDERED} THEN ${waitQueueAhead(run)} END`;

/**
 * Another run of its key goes before it: it waits for that one, or is replaced by it. `together`: an array of runs that are about to begin
 * with it, in order, or null.
 */
export const hasOneAhead = (run: string, together?: string): string =>
  `(${run}.attempt = 0 AND ${run}.overlap IN ${ORDERED} AND ${waitQueueAhead(run, together)} IS NOT NULL)`;

/** It waits for an earlier run of its key. */
export const isBehind = (run: string): string =>
  `(${run}.attempt = 0 AND ${run}.overlap IN ${OLDEST_FIRST} AND ${waitQueueAhead(run)} IS NOT NULL)`;

/** Its start takes a token of a rate: its task's, its pool's, or both. */
export const isRated = (run: string): string => `(${run}.rate_key IS NOT NULL OR ${isInRatedPool(run)})`;

/** It is due, and a rate that it is under has no token for it. */
export const isOverRate = (run: string): string =>
  `(${isRated(run)} AND ${isDue(run)} AND EXISTS (SELECT FROM rates_shut(${run}.namespace, ${run}.rate_key, ${run}.pool, ${run}.task_id, ${run}.scheduled_for, ${run}.id)))`;

/** A slot is another run's than `runId`, and that one keeps others out. `slot`: an alias with the columns of key_slot. */
export const isHeldByAnother = (runId: string, slot: string): string =>
  `(${slot}.run_id IS NOT NULL AND ${slot}.run_id <> ${runId} AND slot_taken(${slot}.run_id, ${slot}.run_scheduled_for, ${slot}.since))`;

/** The phases of what is under way, or will be by itself. The indexes run_start_by and run_ordered have the same. */
const GOING_ON = ['live', 'untold', 'repeating', 'waiting'];

/** What is asked of runs `r` that are under way, or will be by themselves: each phase has an index, and none serves several. */
export const ofEachGoingOn = (select: (isOfPhase: string) => string): string => ofPhases(GOING_ON, select);

const ofPhases = (phases: readonly string[], select: (isOfPhase: string) => string): string =>
  phases.map((phase) => `(${select(`r.phase = '${phase}'`)})`).join('\nUNION ALL ');

const OPEN = [...GOING_ON, 'held'];

/** It has not ended, nor is it unknown how; the index run_cancel_requested serves it. */
export const isOpen = (run: string): string => `${run}.phase IN (${OPEN.map((phase) => `'${phase}'`).join(', ')})`;

/** As `ofEachGoingOn`, and of runs that are held. */
export const ofEachOpen = (select: (isOfPhase: string) => string): string => ofPhases(OPEN, select);

/** Ended badly, or nobody knows how. The phase of each of these is its state. */
export const ENDED_BADLY = `'failed', 'timed_out', 'quarantined', 'unknown'`;

/** It has not begun, and no worker runs it; the indexes run_start_by and run_ordered serve it. */
export const hasNotBegun = (run: string): string => `run_has_not_begun(${run}.phase, ${run}.state, ${run}.attempt)`;

/** It has waited for as long as it is ready to; the index run_wait_until serves it. */
export const hasOverwaited = (run: string): string => `run_has_overwaited(${run}.wait_until)`;

/**
 * What refuses a run `r` of the task `t` to a job of dispatch i.dispatch with a lease for i.slot, in the order in which it
 * is told. `ahead`, `full_by` and `holder` of `f` are the runs in its way: by the order, by the limit, and on the slot.
 */
const REFUSALS: { readonly [Code in NotBegunCode]: string } = {
  stale: `NOT ${isOfJob('r', 'i.dispatch')}`,
  no_such_slot: `NOT ${hasSlot('r', 'i.slot')}`,
  cancelled: isCancelled('r'),
  task_deleted: isOfDeletedTask('r', 't'),
  edited: isEdited('r', 't'),
  frozen: isFrozen('r'),
  paused: isPaused('r'),
  start_missed: hasMissedStart('r'),
  early: isEarly('r'),
  pool_paused: isInPausedPool('r'),
  misfired: isMisfired('r'),
  replaced: `f.ahead IS NOT NULL AND r.overlap IN ${NEWEST_FIRST}`,
  behind: 'f.ahead IS NOT NULL',
  key_full: 'f.full_by IS NOT NULL',
  slot_taken: 'f.holder IS NOT NULL',
};

/** The code of the first of REFUSALS that holds; null: none, it may begin. */
export const REFUSAL_CODE = `CASE ${NOT_BEGUN_CODES.map((code) => `WHEN ${REFUSALS[code]} THEN '${code}'`).join('\n    ')} END`;

/** Nothing but the catch-up policy of its task decides whether the occurrence `r` begins. */
const IS_ITS_TASKS = `NOT ${isCancelled('r')} AND NOT ${hasMissedStart('r')}
    AND NOT ${isFrozen('r')} AND NOT ${isPaused('r')} AND EXISTS (SELECT FROM task t WHERE t.id = r.task_id AND NOT ${isOfDeletedTask('r', 't')} AND NOT ${isEdited('r', 't')})`;

/** A run `r` that is misfired, and that nothing else ends: what is left to the catch-up policy of its task. */
export const IS_LEFT_TO_CATCH_UP = `${wouldMisfire('r')} AND ${IS_ITS_TASKS}`;

/** An occurrence `r` that has misfired or was chosen to be caught up, and has not begun: judged again with each that misfires after it. */
export const IS_JUDGED_TOGETHER = `r.state = 'queued' AND r.attempt = 0 AND r.waiting_since IS NULL AND r.requested_by IS NULL
    AND (r.origin = 'catch_up' OR r.misfire_at < now()) AND ${IS_ITS_TASKS}`;
