import type { WorkerAway } from '@escapement/core';
import type { PlanningRules } from '@escapement/core/plan';
import type { CalendarSpec, ScheduleSpec } from '@escapement/core/schedule';
import { poolPauseNote } from '../pools/pause-of-pool.ts';
import { type Database, query } from '../postgres/database.ts';
import { workerAway } from '../processes/worker-away.ts';
import { workerOf } from '../processes/worker-of.ts';
import { isForAPerson } from '../shadow/handovers.ts';
import { CALENDARS_OF_TASK } from '../tasks/due-tasks.ts';
import { covers, IS_JUDGED_TOGETHER, IS_LEFT_TO_CATCH_UP, wouldMisfire } from './admission.ts';
import { begunBefore } from './caught-up-before.ts';

/** A run that was queued and not begun within its misfire threshold, or that was chosen to be caught up and has not begun. */
export interface MisfiredRun {
  id: string;
  scheduledFor: Date;
  dueAt: Date;
  dispatch: number;
  state: 'queued' | 'held';
  /**
   * The earlier verdict. `chosen`: it is to be caught up. `open`: it may be, if an older one is not. `over`: it was open, and an
   * occurrence after it has begun in time. Null: there is none.
   */
  judged: 'chosen' | 'open' | 'over' | null;
  /** Begin refuses it: it misfired, or it was chosen and the choice holds no longer. */
  refused: boolean;
}

/** A task with misfired runs. */
export interface MisfiredTask {
  id: string;
  name: string;
  schedule: ScheduleSpec;
  rules: PlanningRules;
  /** Those that it uses, as they are in force. */
  calendars: { name: string; definition: CalendarSpec }[];
  pool: string;
  /** Of the pause of its pool, empty where it has none; null: that is not paused. */
  poolPauseNote: string | null;
  /** The worker that all of these belong to: those of each are judged apart. Null: to none. */
  worker: string | null;
  /** Null: it is not. */
  workerAway: WorkerAway | null;
  /** The task is as it is since then. */
  effectiveAt: Date;
  /** From this occurrence on it has no rows yet; null: it has no next one. */
  unplannedFrom: Date | null;
  /** All that have misfired and have not begun or ended, the oldest first. */
  runs: MisfiredRun[];
  /** A newer occurrence is due, and was or will be started. */
  newerIsDue: boolean;
  /** How many misfired runs are newer than these. */
  newerMisfired: number;
  /** The number of occurrences of the same outage that have begun as catch-ups. Zero if the policy does not ask. */
  begunBefore: number;
}

interface Row {
  task_id: string;
  name: string;
  schedule: ScheduleSpec;
  rules: PlanningRules;
  pool: string;
  pool_pause_note: string | null;
  calendars: MisfiredTask['calendars'] | null;
  of_worker: string | null;
  worker_away: WorkerAway | null;
  newer_is_due: boolean;
  newer_misfired: number;
  begun_before: number;
  effective_at: Date;
  next_run_at: Date | null;
  state: 'queued' | 'held';
  judged: MisfiredRun['judged'];
  refused: boolean;
  triggers: number;
  id: string;
  scheduled_for: Date;
  due_at: Date;
  dispatch: number;
  now: Date;
}

/**
 * Tasks with runs that begin refuses as misfires, the longest due first: for each, all runs that are judged together, and Postgres'
 * time. Those that begin would end for another reason (edit, pause, cancellation) are left to it.
 */
export async function misfiredRuns(
  db: Database,
  limit: number,
): Promise<{ now: Date | undefined; tasks: MisfiredTask[]; more: boolean }> {
  const rows = await query<Row>(db.hot, 'misfired_runs', MISFIRED_RUNS, [db.namespace, limit, db.openFrom.runs]);
  const tasks = new Map<string, MisfiredTask>();
  for (const row of rows) {
    const together = `${row.task_id} ${row.of_worker ?? ''}`;
    const task = tasks.get(together) ?? toTask(row);
    task.runs.push(toRun(row));
    tasks.set(together, task);
  }
  return { now: rows[0]?.now, tasks: [...tasks.values()], more: (rows[0]?.triggers ?? 0) >= limit };
}

function toRun({ id, scheduled_for, due_at, dispatch, state, judged, refused }: Row): MisfiredRun {
  return { id, scheduledFor: scheduled_for, dueAt: due_at, dispatch, state, judged, refused };
}

function toTask(row: Row): MisfiredTask {
  return {
    id: row.task_id,
    name: row.name,
    schedule: row.schedule,
    rules: row.rules,
    calendars: row.calendars ?? [],
    pool: row.pool,
    poolPauseNote: row.pool_pause_note,
    worker: row.of_worker,
    workerAway: row.worker_away,
    effectiveAt: row.effective_at,
    unplannedFrom: row.next_run_at,
    runs: [],
    newerIsDue: row.newer_is_due,
    newerMisfired: row.newer_misfired,
    begunBefore: row.begun_before,
  };
}

/** A run of the same worker as those of the span `s`. */
const OF_ITS_WORKER = (run: string) => `${workerOf(run)} IS NOT DISTINCT FROM s.of_worker`;

/** A time in which its task or the fleet rests: what is due then is skipped. */
const RESTS = (
  task: string,
  at: string,
) => `(EXISTS (SELECT FROM task_pause p WHERE p.task_id = ${task} AND ${covers('p', at)})
  OR EXISTS (SELECT FROM fleet_freeze z WHERE z.namespace = $1 AND ${covers('z', at)}))`;

// A row misses at the earliest half a second (half the densest period) after it was due: the index of queued rows by
// due_at leads to them. Rows that are overdue for other reasons (a busy pool) are few, or bounded by the limit.
// Held runs of an earlier outage are left alone: an occurrence after them began in time. A run that was left open is due after it misfired.
const MISFIRED_RUNS = `
WITH misfired AS MATERIALIZED (
  SELECT r.task_id, ${workerOf('r')} AS of_worker FROM run r
  -- Equivalent mutant (predicate removed, r.phase): a run that is queued is live: the phase is for the index.
  WHERE r.namespace = $1 AND r.phase = 'live' AND r.state = 'queued' AND r.due_at <= now() AND r.due_at >= $3 AND ${IS_LEFT_TO_CATCH_UP}
  ORDER BY r.due_at LIMIT $2
), s AS MATERIALIZED (
  SELECT s.task_id, s.of_worker, CASE WHEN t.rules->'catchUp'->>'policy' IN ('earliest', 'ask') THEN (
    SELECT n.scheduled_for FROM run n WHERE n.task_id = s.task_id AND n.scheduled_for <= now() AND n.origin = 'schedule'
      AND n.started_at IS NOT NULL AND ${OF_ITS_WORKER('n')} ORDER BY n.scheduled_for DESC LIMIT 1) END AS in_time
  FROM (SELECT DISTINCT task_id, of_worker FROM misfired) s JOIN task t ON t.id = s.task_id
), together AS MATERIALIZED (
  SELECT s.*, o.* FROM s CROSS JOIN LATERAL (
    SELECT r.id, r.namespace, r.scheduled_for, r.due_at, r.dispatch, r.state, r.need, coalesce(r.misfire_at < now(), false) AS refused,
      CASE WHEN r.origin = 'catch_up' THEN 'chosen' WHEN r.due_at > r.misfire_at THEN CASE WHEN r.scheduled_for < s.in_time THEN 'over' ELSE 'open' END END AS judged
    FROM run r WHERE r.task_id = s.task_id AND r.phase = 'live' AND ${OF_ITS_WORKER('r')} AND ${IS_JUDGED_TOGETHER}
    UNION ALL
    SELECT r.id, r.namespace, r.scheduled_for, r.due_at, r.dispatch, r.state, r.need, false, 'chosen'
    FROM run r WHERE r.task_id = s.task_id AND r.phase = 'held' AND ${OF_ITS_WORKER('r')} AND ${isForAPerson('r')}
      AND (s.in_time IS NULL OR r.scheduled_for > s.in_time)) o
), task_span AS MATERIALIZED (
  SELECT task_id, of_worker, max(scheduled_for) AS last FROM together GROUP BY task_id, of_worker
), fact AS (
  SELECT s.task_id, s.of_worker, ${CALENDARS_OF_TASK} AS calendars,
    (SELECT count(*)::integer FROM (
      SELECT FROM run n WHERE n.task_id = s.task_id AND n.scheduled_for > s.last AND ${OF_ITS_WORKER('n')} AND ${wouldMisfire('n')} LIMIT 10000) newer) AS newer_misfired,
    -- Equivalent mutant (border): the only occurrence of that instant and worker is the misfired run, which is left out.
    EXISTS (SELECT FROM run n WHERE n.task_id = s.task_id AND n.scheduled_for > s.last AND n.scheduled_for <= now() AND ${OF_ITS_WORKER('n')}
      AND n.origin IN ('schedule', 'catch_up') AND n.state NOT IN ('superseded', 'missed', 'cancelled')
      AND (n.state <> 'skipped' OR n.blocked_by IS NOT NULL)
      AND NOT ${wouldMisfire('n')})
    OR EXISTS (SELECT FROM task_plan plan WHERE plan.task_id = s.task_id AND plan.next_run_at <= now() AND NOT ${RESTS('s.task_id', 'plan.next_run_at')})
      AS newer_is_due,
    ${begunBefore({ taskId: 's.task_id', at: 's.last', rules: 't.rules', worker: 's.of_worker' })} AS begun_before
  FROM task_span s JOIN task t ON t.id = s.task_id
)
SELECT o.task_id, t.name, t.schedule, t.rules, t.pool, t.effective_at, plan.next_run_at, ${poolPauseNote('t')} AS pool_pause_note, o.of_worker,
  ${workerAway('o')} AS worker_away, f.calendars, o.id, o.scheduled_for, o.due_at, o.dispatch, o.state, o.judged, o.refused,
  f.newer_misfired, f.newer_is_due, f.begun_before, (SELECT count(*)::integer FROM misfired) AS triggers, now() AS now
FROM together o JOIN fact f ON f.task_id = o.task_id AND f.of_worker IS NOT DISTINCT FROM o.of_worker JOIN task t ON t.id = o.task_id
  JOIN task_plan plan ON plan.task_id = o.task_id
ORDER BY o.task_id, o.of_worker, o.scheduled_for`;

/** The verdict on an open run that is not missed. */
export interface CaughtUpRun {
  id: string;
  scheduledFor: Date;
  /** As they were read; if they are no longer so the run is left alone. */
  dispatch: number;
  seen: 'queued' | 'held';
  /** Open: an older one is to run instead, and it is judged again when it is due. */
  to: 'queued' | 'held' | 'open';
  /** Not before then. */
  dueAt: Date;
  /** Begin refuses it after this; null: never. A run that is open stays refused. */
  holdsUntil: Date | null;
  reason: string | null;
  /** Until then it has to start, if not before by its task's start deadline. Default: no bound. */
  startBy?: Date | undefined;
  /** It waits its turn in the key, whatever its overlap policy; where runs may overlap it need not. */
  inTurn: boolean;
}
