import type { RunOrigin, RunState } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { RATE_KEY } from '../rates/rate-key.ts';
import { inTurn } from './overlap-policies.ts';

/** A row the planner wants, computed from the task as it read it. */
export interface PlannedRun {
  id: string;
  taskId: string;
  scheduledFor: Date;
  dueAt: Date;
  /** What has not begun by then is a misfire; null: it never is. */
  misfireAt: Date | null;
  origin: RunOrigin;
  state: RunState;
  reason: string | null;
  key: string;
  /** It waits its turn in the key, whatever the task's overlap policy; where runs may overlap it need not. */
  inTurn: boolean;
  /** Its repeat brings it to a worker: it is `planned` until then, and the queue gets no job for it. Default false. */
  byRepeat?: boolean;
  untilAt: Date | null;
  occurrences: number;
  /** The worker that it belongs to, where its task runs on every worker. Default: none. */
  worker?: string;
  /** Until then it has to start. Default: as its task's start deadline says. */
  startBy?: Date;
}

export interface TaskMove {
  taskId: string;
  /** The plan_seq of its `task_plan` as it was read; the move is dropped if it has changed since. */
  planSeq: number;
  nextRunAt: Date | null;
  /** How many of the rows are to run, where the schedule ends after so many runs. Default 0. */
  counted?: number;
  /** The schedule has had all its runs: nothing is due after this instant. */
  endedAt?: Date | null;
}

/** A run the queue is to be told of. */
export interface DispatchableRun {
  id: string;
  scheduledFor: Date;
  /** See `queueName`. */
  queue: string;
  dueAt: Date;
  dispatch: number;
  /** The span that it continues; null: its trace begins with it. Undefined: not looked up. */
  traceparent?: string | null;
}

/**
 * Moves tasks to their next occurrence and inserts the rows up to there, in one statement. Tasks that another
 * planner has moved meanwhile, or is moving now, are left out with their rows (losing is no error); so are those that somebody has edited or
 * deleted, since that moves them as well. What is read of the task is what was in force when its `task_plan` was as the planner saw it.
 *
 * Rows to be run go in as `queued` under dispatch 1, not as `planned`: the ledger says what the queue should hold, the
 * caller then adds the jobs, and what it could not add the reconciler does. Marking each row once its job is there
 * would be a fourth write per run (measured: an eighth of the pipeline). Rows that a repeat brings to a worker stay
 * `planned`, under dispatch 0: the queue knows no run of theirs.
 *
 * A row planned under an older epoch and not yet started is adopted, also by one that never runs, so that an edit loses no
 * occurrence (I1, I2). One that never runs has dispatch 0 from then on: it is no run of a schedule that ends after so many, and a job that
 * it had begins nothing.
 */
export async function planRuns(
  db: Database,
  moves: readonly TaskMove[],
  rows: readonly PlannedRun[],
): Promise<{ moved: number; planned: number; runs: DispatchableRun[] }> {
  const perWorker = rows.some(({ worker }) => worker !== undefined);
  const [answer] = await query<{
    moved: number;
    planned: number;
    runs: (Omit<DispatchableRun, 'scheduledFor' | 'dueAt'> & { s: number; d: number })[] | null;
  }>(db.hot, perWorker ? 'plan_worker_runs' : 'plan_runs', perWorker ? PLAN_WORKER_RUNS : PLAN_RUNS, [
    ...moveColumns(moves),
    ...rowColumns(rows),
    moves.map((move) => move.counted ?? 0),
    moves.map((move) => move.endedAt?.toISOString() ?? null),
    rows.map((row) => row.byRepeat ?? false),
    db.namespace,
    ...(perWorker ? workerColumns(rows) : []),
  ]);
  // An adopted row keeps its own id, and its job, which the queue then knows already; where that lies in another queue
  // than the edit wants, it gets a new one.
  const runs = (answer?.runs ?? []).map(({ s, d, ...run }) => ({
    ...run,
    scheduledFor: new Date(s),
    dueAt: new Date(d),
    traceparent: null,
  }));
  return { moved: answer?.moved ?? 0, planned: answer?.planned ?? 0, runs };
}

/** What differs where a row may belong to a worker: such rows alone pay for it. */
const PLAIN = {
  parameters: '',
  columns: '',
  need: 'm.need',
  startBy: "n.due_at + m.start_deadline_ms * interval '1 ms'",
  recorded: '',
};

// Whose task has moved is asked by a hashed list: on the hot pool a join of both would be quadratic. A row that is locked stays where it is, so it
// is found by its place; one that had moved since the statement began is not, and its task is planned at the next pass.
const PLAN = (parts: typeof PLAIN) => `
WITH input AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::integer[], $3::timestamptz[], $16::integer[], $17::timestamptz[])
    AS i(task_id, plan_seq, next_run_at, counted, ended_at)
), locked AS MATERIALIZED (
  SELECT plan.ctid AS place, i.next_run_at, i.counted, i.ended_at FROM input i JOIN task_plan plan ON plan.task_id = i.task_id
  WHERE plan.namespace = $19 AND plan.plan_seq = i.plan_seq
  ORDER BY plan.task_id
  FOR NO KEY UPDATE OF plan SKIP LOCKED
), moved AS (
  UPDATE task_plan plan SET next_run_at = l.next_run_at, plan_seq = plan.plan_seq + 1, plan_after = NULL, plan_error = NULL,
    plan_failures = 0, planned_runs = plan.planned_runs + l.counted
  FROM locked l WHERE plan.ctid = l.place
  RETURNING plan.task_id, l.ended_at
), ended AS (
  UPDATE task_version v SET ended_at = GREATEST(m.ended_at, v.effective_at) FROM moved m JOIN task t ON t.id = m.task_id
  WHERE m.ended_at IS NOT NULL AND v.task_id = m.task_id AND v.version = t.version AND v.ended_at IS NULL
), inserted AS (
  INSERT INTO run AS r (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key,
    key_limit, overlap, pool, need, due_at, start_by, misfire_at, dispatch, finished_at, until_at, occurrences, watched, rate_key)
  SELECT n.id, n.scheduled_for, m.namespace, m.id, m.version, m.plan_epoch, n.origin,
    CASE WHEN n.state = 'planned' AND NOT n.by_repeat THEN 'queued' ELSE n.state END, n.reason, n.key, m.key_limit,
    CASE WHEN n.in_turn THEN ${inTurn('m.overlap')} ELSE m.overlap END, m.pool, ${parts.need},
    n.due_at, ${parts.startBy}, n.misfire_at,
    (n.state = 'planned' AND NOT n.by_repeat)::integer,
    CASE WHEN n.state IN ('missed', 'skipped') THEN now() END,
    n.until_at, n.occurrences, m.follows, ${RATE_KEY('m')}
  FROM unnest($4::uuid[], $5::uuid[], $6::timestamptz[], $7::timestamptz[], $8::text[], $9::text[], $10::text[],
    $11::text[], $12::timestamptz[], $13::integer[], $14::timestamptz[], $15::boolean[], $18::boolean[]${parts.parameters})
    AS n(id, task_id, scheduled_for, due_at, origin, state, reason, key, until_at, occurrences, misfire_at, in_turn,
      by_repeat${parts.columns})
  JOIN task m ON m.id = n.task_id
  WHERE CASE WHEN n.task_id IN (SELECT task_id FROM moved) THEN true END
  ON CONFLICT (task_id, scheduled_for, distinct_by) WHERE task_id IS NOT NULL
  DO UPDATE SET task_version = excluded.task_version, plan_epoch = excluded.plan_epoch, key = excluded.key,
    key_limit = excluded.key_limit, overlap = excluded.overlap, pool = excluded.pool, need = excluded.need, due_at = excluded.due_at,
    start_by = excluded.start_by, misfire_at = excluded.misfire_at, watched = excluded.watched, rate_key = excluded.rate_key,
    state = CASE WHEN r.state = 'planned' OR excluded.state NOT IN ('planned', 'queued') THEN excluded.state ELSE r.state END,
    dispatch = CASE WHEN excluded.state IN ('missed', 'skipped') THEN 0 WHEN r.state = 'planned' THEN r.dispatch + excluded.dispatch
      ELSE r.dispatch + (queue_of(r.pool, r.need) <> queue_of(excluded.pool, excluded.need))::integer END,
    origin = excluded.origin, reason = excluded.reason, finished_at = excluded.finished_at, until_at = excluded.until_at,
    occurrences = excluded.occurrences, created_at = excluded.created_at
  WHERE r.state IN ('planned', 'queued') AND r.plan_epoch < excluded.plan_epoch
  RETURNING r.id, r.scheduled_for, queue_of(r.pool, r.need) AS queue, r.due_at, r.dispatch, r.state
)${parts.recorded}
SELECT (SELECT count(*)::integer FROM moved) AS moved,
  (SELECT count(*)::integer FROM inserted WHERE state IN ('planned', 'queued')) AS planned,
  (SELECT jsonb_agg(jsonb_build_object('id', id, 'queue', queue, 'dispatch', dispatch,
     's', round(extract(epoch FROM scheduled_for) * 1000), 'd', round(extract(epoch FROM due_at) * 1000)))
   FROM inserted WHERE state = 'queued') AS runs`;

const PLAN_RUNS = PLAN(PLAIN);

// Which workers an occurrence was planned for is written down beside its rows: who verifies the ledger misses none of them.
const PLAN_WORKER_RUNS = PLAN({
  parameters: ', $20::text[], $21::timestamptz[]',
  columns: ', worker, start_by',
  need: 'need_on(m.need, n.worker)',
  startBy: `coalesce(n.start_by, ${PLAIN.startBy})`,
  recorded: `, recorded AS (
  INSERT INTO occurrence_workers AS o (task_id, scheduled_for, workers)
  SELECT n.task_id, n.scheduled_for, array_agg(n.worker ORDER BY n.worker)
  FROM unnest($5::uuid[], $6::timestamptz[], $20::text[]) AS n(task_id, scheduled_for, worker)
  WHERE n.worker IS NOT NULL AND CASE WHEN n.task_id IN (SELECT task_id FROM moved) THEN true END
  GROUP BY n.task_id, n.scheduled_for
  ON CONFLICT (task_id, scheduled_for) DO UPDATE SET workers = excluded.workers
)`,
});

function workerColumns(rows: readonly PlannedRun[]): unknown[] {
  return [rows.map(({ worker }) => worker ?? null), rows.map(({ startBy }) => startBy?.toISOString() ?? null)];
}

function moveColumns(moves: readonly TaskMove[]): unknown[] {
  return [
    moves.map((move) => move.taskId),
    moves.map((move) => move.planSeq),
    moves.map((move) => move.nextRunAt?.toISOString() ?? null),
  ];
}

function rowColumns(rows: readonly PlannedRun[]): unknown[] {
  return [
    rows.map((row) => row.id),
    rows.map((row) => row.taskId),
    rows.map((row) => row.scheduledFor.toISOString()),
    rows.map((row) => row.dueAt.toISOString()),
    rows.map((row) => row.origin),
    rows.map((row) => row.state),
    rows.map((row) => row.reason),
    rows.map((row) => row.key),
    rows.map((row) => row.untilAt?.toISOString() ?? null),
    rows.map((row) => row.occurrences),
    rows.map((row) => row.misfireAt?.toISOString() ?? null),
    rows.map((row) => row.inTurn),
  ];
}
