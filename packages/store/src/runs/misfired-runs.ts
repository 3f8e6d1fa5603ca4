import type { CalendarSpec, PlanningRules, ScheduleSpec, WorkerAway } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { poolPauseNote } from '../pools/pause-of-pool.ts';
import { workerAway } from '../processes/worker-away.ts';
import { workerOf } from '../processes/worker-of.ts';
import { CALENDARS_OF_TASK } from '../tasks/due-tasks.ts';
import { IS_LEFT_TO_CATCH_UP, wouldMisfire } from './admission.ts';

/** A run that was queued and not begun within its misfire threshold. */
export interface MisfiredRun {
  id: string;
  scheduledFor: Date;
  dueAt: Date;
  dispatch: number;
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
  /** The oldest first. */
  runs: MisfiredRun[];
  /** A newer occurrence is due, and was or will be started. */
  newerIsDue: boolean;
  /** How many misfired runs are newer than these. */
  newerMisfired: number;
  /** The occurrence before these was not started in time. */
  misfiredBefore: boolean;
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
  misfired_before: boolean | null;
  id: string;
  scheduled_for: Date;
  due_at: Date;
  dispatch: number;
  now: Date;
}

/**
 * Runs that begin refuses as misfires, by task, the longest due first, and Postgres' time. Those that begin would end
 * for another reason (edit, pause, cancellation) are left to it.
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
    task.runs.push({ id: row.id, scheduledFor: row.scheduled_for, dueAt: row.due_at, dispatch: row.dispatch });
    tasks.set(together, task);
  }
  return { now: rows[0]?.now, tasks: [...tasks.values()], more: rows.length >= limit };
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
    runs: [],
    newerIsDue: row.newer_is_due,
    newerMisfired: row.newer_misfired,
    misfiredBefore: row.misfired_before ?? false,
  };
}

/** A run of the same worker as those of the span `s`. */
const OF_ITS_WORKER = (run: string) => `${workerOf(run)} IS NOT DISTINCT FROM s.of_worker`;

// A row misses at the earliest half a second (half the densest period) after it was due: the index of queued rows by
// due_at leads to them. Rows that are overdue for other reasons (a busy pool) are few, or bounded by the limit.
const MISFIRED_RUNS = `
WITH misfired AS MATERIALIZED (
  SELECT r.id, r.scheduled_for, r.due_at, r.dispatch, r.task_id, t.name, t.schedule, t.rules, plan.next_run_at, t.namespace, t.pool,
    r.need, ${workerOf('r')} AS of_worker
  FROM run r JOIN task t ON t.id = r.task_id JOIN task_plan plan ON plan.task_id = t.id
  WHERE r.namespace = $1 AND r.phase = 'live' AND r.state = 'queued' AND r.due_at <= now() AND r.due_at >= $3 AND ${IS_LEFT_TO_CATCH_UP}
  ORDER BY r.due_at LIMIT $2
), task_span AS MATERIALIZED (
  SELECT task_id, of_worker, min(scheduled_for) AS first, max(scheduled_for) AS last FROM misfired GROUP BY task_id, of_worker
), fact AS (
  SELECT s.task_id, s.of_worker, (SELECT ${CALENDARS_OF_TASK} FROM task t WHERE t.id = s.task_id) AS calendars,
    (SELECT count(*)::integer FROM (
      SELECT FROM run n WHERE n.task_id = s.task_id AND n.scheduled_for > s.last AND ${OF_ITS_WORKER('n')} AND ${wouldMisfire('n')} LIMIT 10000) newer) AS newer_misfired,
    EXISTS (SELECT FROM run n WHERE n.task_id = s.task_id AND n.scheduled_for > s.last AND n.scheduled_for <= now() AND ${OF_ITS_WORKER('n')}
      AND n.origin IN ('schedule', 'catch_up') AND n.state NOT IN ('superseded', 'missed', 'cancelled')
      AND (n.state <> 'skipped' OR n.blocked_by IS NOT NULL)
      AND NOT ${wouldMisfire('n')}) AS newer_is_due,
    (SELECT b.state = 'missed' OR b.origin = 'catch_up' FROM run b
      WHERE b.task_id = s.task_id AND b.scheduled_for < s.first AND ${OF_ITS_WORKER('b')} AND b.origin IN ('schedule', 'catch_up')
      ORDER BY b.scheduled_for DESC LIMIT 1) AS misfired_before
  FROM task_span s
)
SELECT o.task_id, o.name, o.schedule, o.rules, o.pool, ${poolPauseNote('o')} AS pool_pause_note, o.of_worker,
  ${workerAway('o')} AS worker_away, f.calendars, o.id, o.scheduled_for, o.due_at, o.dispatch, f.newer_misfired, f.misfired_before,
  f.newer_is_due OR coalesce(o.next_run_at <= now(), false) AS newer_is_due, now() AS now
FROM misfired o JOIN fact f ON f.task_id = o.task_id AND f.of_worker IS NOT DISTINCT FROM o.of_worker
ORDER BY o.task_id, o.of_worker, o.scheduled_for`;

/** What becomes of a misfired run that is not missed. */
export interface CaughtUpRun {
  id: string;
  scheduledFor: Date;
  /** As it was read; if it is no longer so the run is left alone. */
  dispatch: number;
  to: 'queued' | 'held';
  /** Not before then. */
  dueAt: Date;
  reason: string | null;
  /** Until then it has to start, if not before by its task's start deadline. Default: no bound. */
  startBy?: Date | undefined;
  /** It waits its turn in the key, whatever its overlap policy; where runs may overlap it need not. */
  inTurn: boolean;
}
