import { EscapementError, HOUR, type Json, storableText } from '@escapement/core';
import type { PlanningRules } from '@escapement/core/plan';
import type { CalendarSpec, ScheduleSpec } from '@escapement/core/schedule';
import type { Handover } from '@escapement/core/shadow';
import { isDataFault, splitOnDataFault } from '../postgres/data-fault.ts';
import { type Database, query } from '../postgres/database.ts';
import { covers } from '../runs/admission.ts';
import { begunBefore, openBefore } from '../runs/caught-up-before.ts';
import { HANDOVERS_OF_TASK, type HandoverRow, isLeftToCron, toHandovers } from '../shadow/handovers.ts';

export interface PauseWindow {
  fromAt: Date;
  /** Null: until resumed. */
  untilAt: Date | null;
  note: string | null;
  /** Of the whole fleet, not of the task. */
  frozen?: boolean;
}

/** What planning a task needs of it. */
export interface DueTask {
  id: string;
  name: string;
  planSeq: number;
  schedule: ScheduleSpec;
  /** The task is as it is since then. */
  effectiveAt: Date;
  nextRunAt: Date;
  rules: PlanningRules;
  /** How many runs have been planned, where the schedule ends after so many. */
  plannedRuns: number;
  keyTemplate: string;
  pool: string;
  /** Read only where the key is a template over it. */
  payload: Json | undefined;
  pauses: PauseWindow[];
  /** Cut-overs of the line of a crontab that it is of, in their order; none that was refused. */
  handovers: Handover[];
  /** Those the task uses, as they are in force. */
  calendars: { name: string; definition: CalendarSpec }[];
  /** The number of older occurrences of the same outage that have begun as catch-ups. Zero if the policy does not ask. */
  begunBefore: number;
  /** An older occurrence may still be caught up. Looked at only where the catch-up policy asks for it. */
  openBefore: boolean;
  /** The workers that each of its occurrences has a run on; null: it does not run on every worker. */
  workers: string[] | null;
  /** Instants from `nextRunAt` on that have a row which has ended: it was made before an edit. */
  taken: Date[];
}

interface DueRow {
  id: string;
  name: string;
  plan_seq: number;
  schedule: ScheduleSpec;
  effective_at: Date;
  next_run_at: Date;
  rules: PlanningRules;
  planned_runs: number;
  key_template: string;
  pool: string;
  payload: Json | null;
  pauses: { from_at: string; until_at: string | null; note: string | null; frozen: boolean }[] | null;
  handovers: HandoverRow[] | null;
  calendars: { name: string; definition: CalendarSpec }[] | null;
  begun_before: number;
  open_before: boolean;
  taken: string[] | null;
  workers: string[] | null;
  now: Date;
}

/** The calendars that a task `t` uses, as they are in force; null: it uses none. */
// Equivalent mutant (predicate removed): without this rule the inner list of names is empty, and its aggregate is null.
export const CALENDARS_OF_TASK = `CASE WHEN t.rules ? 'calendars' THEN (
    SELECT jsonb_agg(jsonb_build_object('name', c.name, 'definition', c.definition) ORDER BY c.name)
    FROM calendar_version c WHERE c.namespace = t.namespace AND c.ended_at IS NULL
      AND c.name IN (SELECT used #>> '{}' FROM jsonb_path_query(t.rules, 'lax $.calendars.exclude[*]') used)) END`;

/** Rows are made so long before they are due at most: an edit that sets `next_run_at` back, or ends their version, may come between. */
export const MADE_AHEAD_MS = 1 * HOUR;
const MADE_AHEAD = `interval '${MADE_AHEAD_MS} ms'`;

/** See `DueTask.workers`; of a task `t`. */
const WORKERS = `CASE WHEN t.rules ? 'runOn' THEN expected_workers(t.namespace, t.pool, t.need) END`;

// Of the runs of an occurrence that runs on every worker each is planned anew, or is there.
const TAKEN = `SELECT r.scheduled_for FROM any_run r WHERE r.task_id = t.id AND r.scheduled_for >= plan.next_run_at
  AND r.scheduled_for < t.effective_at + ${MADE_AHEAD} AND r.origin IN ('schedule', 'catch_up', 'backfill')
  AND r.state NOT IN ('planned', 'queued', 'superseded') AND worker_of(r.need) IS NULL`;

// Whether there is a freeze at all is asked once a statement.
// Equivalent mutant (predicate removed, namespace): it saves a read: the aggregate inside compares the namespace, and is null if nothing is there.
// Equivalent mutant (predicate removed, task_id): it saves a read: the aggregate inside compares the task, and is null if nothing is there.
const MAY_BE_PAUSED = `(EXISTS (SELECT FROM fleet_freeze WHERE namespace = $1) OR EXISTS (SELECT FROM task_pause WHERE task_id = t.id))`;

const BEFORE = { taskId: 't.id', at: 'plan.next_run_at', rules: 't.rules', worker: 'NULL' };

const COLUMNS = `t.id, t.name, plan.plan_seq, t.schedule, t.effective_at, plan.next_run_at, t.rules, plan.planned_runs, t.key_template, t.pool,
  CASE WHEN t.key_template LIKE '%{{%' THEN t.definition->'payload' END AS payload,
  -- Equivalent mutant (predicate removed): it saves a read: the aggregate inside is null if there is neither pause nor freeze.
  CASE WHEN ${MAY_BE_PAUSED} THEN (SELECT jsonb_agg(jsonb_build_object('from_at', p.from_at, 'until_at', p.until_at, 'note', p.note, 'frozen', p.frozen) ORDER BY p.frozen DESC) FROM (
     SELECT from_at, until_at, note, false AS frozen FROM task_pause WHERE task_id = t.id
     UNION ALL SELECT from_at, until_at, note, true FROM fleet_freeze WHERE namespace = t.namespace) p
   WHERE p.until_at IS NULL OR p.until_at > plan.next_run_at) END AS pauses,
  ${HANDOVERS_OF_TASK} AS handovers, ${CALENDARS_OF_TASK} AS calendars,
  CASE WHEN plan.next_run_at < now() THEN ${begunBefore(BEFORE)} ELSE 0 END AS begun_before,
  plan.next_run_at < now() AND ${openBefore(BEFORE)} AS open_before,
  -- Equivalent mutant (predicate removed): it saves a read: from there on no row is between both instants, and the aggregate of none is null.
  -- Equivalent mutant (border): at that instant no row is between both, and the aggregate of none is null.
  CASE WHEN plan.next_run_at < t.effective_at + ${MADE_AHEAD} THEN (SELECT jsonb_agg(k.scheduled_for) FROM (${TAKEN}) k) END AS taken,
  ${WORKERS} AS workers, now() AS now`;

/** Of a task that is about to be edited, or deleted: see `DueTask`. */
export async function occurrencesKnown(
  db: Database,
  { id }: { id: string },
): Promise<Pick<DueTask, 'taken' | 'workers' | 'handovers' | 'begunBefore' | 'openBefore'>> {
  const [row] = await query<KnownRow>(
    db.pool,
    'occurrences_known',
    `SELECT (SELECT jsonb_agg(k.scheduled_for) FROM (${TAKEN}) k) AS taken, ${WORKERS} AS workers, ${HANDOVERS_OF_TASK} AS handovers,
       ${begunBefore(BEFORE)} AS begun_before, ${openBefore(BEFORE)} AS open_before
     FROM task t JOIN task_plan plan ON plan.task_id = t.id WHERE t.namespace = $1 AND t.id = $2`,
    [db.namespace, id],
  );
  return {
    taken: (row?.taken ?? []).map((at) => new Date(at)),
    workers: row?.workers ?? null,
    handovers: toHandovers(row?.handovers),
    begunBefore: row?.begun_before ?? 0,
    openBefore: row?.open_before ?? false,
  };
}

interface KnownRow {
  taken: string[] | null;
  workers: string[] | null;
  handovers: HandoverRow[] | null;
  begun_before: number;
  open_before: boolean;
}

const IS_DUE = `plan.namespace = $1 AND t.deleted_at IS NULL AND plan.next_run_at IS NOT NULL
  AND plan.plan_at <= now() + $2 * interval '1 ms' AND plan.plan_at >= $4 AND plan.plan_at >= $5
  AND (plan.plan_after IS NULL OR plan.plan_after <= now())
  AND NOT (plan.next_run_at > now() AND (${isLeftToCron('t', 'plan.next_run_at')} OR EXISTS (SELECT FROM task_pause p WHERE p.task_id = t.id
    AND ${covers('p', 'plan.next_run_at')}) OR EXISTS (SELECT FROM fleet_freeze z WHERE z.namespace = $1 AND ${covers('z', 'plan.next_run_at')})))`;

const DUE = (columns: string) => `SELECT ${columns} FROM task_plan plan JOIN task t ON t.id = ANY (ARRAY[plan.task_id])
  WHERE ${IS_DUE} ORDER BY plan.plan_at LIMIT $3`;

/**
 * Tasks with an occurrence within the horizon, the longest due first, and Postgres' time. One whose next occurrence
 * lies ahead in a pause, or in the shadow of cron, is left out: the pause may end before, and a crowd of them must not hold the others up.
 * `after`: only those that are to be planned after this instant. Default: all. A task that Postgres cannot read is left out too, and its row
 * says why.
 */
export async function dueTasks(
  db: Database,
  options: { horizonMs: number; limit: number; after?: Date },
): Promise<{ now: Date | undefined; tasks: DueTask[] }> {
  // Columns have whole milliseconds.
  const from = options.after ? new Date(options.after.getTime() + 1).toISOString() : '-infinity';
  const values = [db.namespace, options.horizonMs, options.limit, from, db.openFrom.tasks];
  try {
    const rows = await query<DueRow>(db.hot, 'due_tasks', DUE(COLUMNS), values);
    return { now: rows[0]?.now, tasks: rows.map(toDueTask) };
  } catch (error) {
    if (!isDataFault(error)) throw error;
    const found = await query<DuePlace>(db.hot, 'due_places', DUE('t.id, plan.plan_seq, now() AS now'), values);
    return { now: found[0]?.now, tasks: await readApart(db, found) };
  }
}

type DuePlace = Pick<DueRow, 'id' | 'plan_seq' | 'now'>;

async function readApart(db: Database, places: readonly DuePlace[]): Promise<DueTask[]> {
  const read = await splitOnDataFault(places, {
    async write(part) {
      const ids = part.map(({ id }) => id);
      const rows = await query<DueRow>(db.hot, 'due_tasks_of', DUE_TASKS_OF, [db.namespace, ids]);
      return rows.map(toDueTask);
    },
    refused: ({ id, plan_seq }, error) => notePlanError(db, { id, planSeq: plan_seq }, error),
  });
  return read.flat();
}

const DUE_TASKS_OF = `SELECT ${COLUMNS} FROM unnest($2::uuid[]) WITH ORDINALITY AS i(id, place)
  JOIN task t ON t.id = ANY (ARRAY[i.id]) JOIN task_plan plan ON plan.task_id = t.id WHERE t.namespace = $1 ORDER BY i.place`;

function toDueTask(row: DueRow): DueTask {
  return {
    id: row.id,
    name: row.name,
    planSeq: row.plan_seq,
    schedule: row.schedule,
    effectiveAt: row.effective_at,
    nextRunAt: row.next_run_at,
    rules: row.rules,
    plannedRuns: row.planned_runs,
    keyTemplate: row.key_template,
    pool: row.pool,
    payload: row.payload ?? undefined,
    pauses: (row.pauses ?? []).map((pause) => ({
      fromAt: new Date(pause.from_at),
      untilAt: pause.until_at === null ? null : new Date(pause.until_at),
      note: pause.note,
      frozen: pause.frozen,
    })),
    handovers: toHandovers(row.handovers),
    calendars: row.calendars ?? [],
    begunBefore: row.begun_before,
    openBefore: row.open_before,
    taken: (row.taken ?? []).map((at) => new Date(at)),
    workers: row.workers,
  };
}

/** Of a longer one the start says enough. */
const MAX_ERROR_LENGTH = 1000;

/** Notes that planning a task threw, and leaves it alone for a while that grows with each failure (1 s to 5 min). */
export async function notePlanError(
  db: Database,
  task: { id: string; planSeq: number },
  error: unknown,
): Promise<void> {
  await query(
    db.hot,
    'note_plan_error',
    `UPDATE task_plan SET plan_error = $3, plan_failures = least(plan_failures, 2147483646) + 1,
       plan_after = now() + least(300, power(2, least(greatest(plan_failures, 0), 9))) * interval '1 second'
     WHERE namespace = $4 AND task_id = $1 AND plan_seq = $2`,
    [task.id, task.planSeq, planErrorText(error), db.namespace],
  );
}

/** Why a task cannot be planned, and what helps. */
function planErrorText(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  const fix = error instanceof EscapementError && error.fix ? `; ${error.fix}` : '';
  return storableText(`${said}${fix}`.slice(0, MAX_ERROR_LENGTH));
}
