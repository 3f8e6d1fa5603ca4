import { type Principal, type PrincipalKind, type TaskDefinition, taskDefinition } from '@escapement/core';
import type { LabelFilter } from '@escapement/core/rights';
import type { CalendarSpec } from '@escapement/core/schedule';
import { type Handover, restsOf } from '@escapement/core/shadow';
import { type Database, query } from '../postgres/database.ts';
import { HANDOVERS_OF_TASK, type HandoverRow, toHandovers } from '../shadow/handovers.ts';
import { CALENDARS_OF_TASK, type PauseWindow } from './due-tasks.ts';
import { NEVER_FIRES } from './never-fires.ts';
import { nextStart } from './next-start.ts';
import { readableDefinition } from './readable-definition.ts';
import { meetsLabels, toSelectors } from './task-labels.ts';

/** A pause that has not ended. */
export interface TaskPause extends PauseWindow {
  /** Who paused it. */
  createdBy: string;
  /** The run that has decided when its task is due next: until then the schedule rests. Null: a person has paused it. */
  runId: string | null;
  /** So many occurrences in a row have failed, and that has paused it; null: something else has. */
  failures: number | null;
}

export interface Task {
  id: string;
  name: string;
  /** What it was called before, the latest first: who names it so still finds it. */
  formerNames: string[];
  version: number;
  definition: TaskDefinition;
  source: string;
  planSeq: number;
  /** The task is as it is since then. */
  effectiveAt: Date;
  /** How many runs have been planned, where the schedule ends after so many. */
  plannedRuns: number;
  /** The first occurrence that has no row yet: where planning goes on. */
  nextRunAt: Date | null;
  /**
   * When it starts next by its schedule or because somebody has asked for it, as far as is known: outside of pauses, freezes and what
   * calendars leave out. Null: never.
   */
  nextStartAt: Date | null;
  /** Why it cannot be planned, or its definition not be read; null: nothing is wrong. */
  planError: string | null;
  /** What of its definition cannot be read here, and is left out. Default: nothing. */
  unreadable?: string;
  /** Its schedule has no instant to come, and did not come to an end as it says itself. */
  neverFires: boolean;
  createdAt: Date;
  updatedAt: Date;
  pauses: TaskPause[];
  /** Cut-overs of the line of a crontab that it is of, in their order; none that was refused. */
  handovers: Handover[];
}

interface TaskRow {
  id: string;
  name: string;
  former_names: string[];
  version: number;
  definition: unknown;
  source: string;
  plan_seq: number;
  effective_at: Date;
  planned_runs: number;
  next_run_at: Date | null;
  /** By its schedule, and as asked for, of what is planned. */
  starts: [Date | null, Date | null] | null;
  plan_error: string | null;
  never_fires: boolean;
  created_at: Date;
  updated_at: Date;
  pauses: (WindowRow & { created_by: string; run_id: string | null; failures: number | null })[] | null;
  freezes: WindowRow[] | null;
  handovers: HandoverRow[] | null;
  calendars: { name: string; definition: CalendarSpec }[] | null;
}

interface WindowRow {
  from_at: string;
  until_at: string | null;
  note: string | null;
}

const TASKS = 'task t JOIN task_plan plan ON plan.task_id = t.id';

// Occurrences within the planning horizon have rows already; the task itself points behind them.
const COLUMNS = `t.id, t.name, t.former_names, t.version, t.definition, t.source, plan.plan_seq, t.effective_at, plan.planned_runs, plan.next_run_at,
  (SELECT ARRAY[min(r.due_at) FILTER (WHERE run_is_of_schedule(r.origin, r.ordinal)),
     min(r.due_at) FILTER (WHERE NOT run_is_of_schedule(r.origin, r.ordinal))]
   FROM run r WHERE r.task_id = t.id AND r.scheduled_for > now() AND r.state IN ('planned', 'queued')) AS starts, plan.plan_error,
  ${NEVER_FIRES} AS never_fires, t.created_at, t.updated_at, (SELECT jsonb_agg(jsonb_build_object('from_at', p.from_at, 'until_at', p.until_at, 'note', p.note,
     'created_by', p.created_by, 'run_id', p.run_id, 'failures', p.failures))
   FROM task_pause p WHERE p.task_id = t.id AND (p.until_at IS NULL OR p.until_at > now())) AS pauses,
  (SELECT jsonb_agg(jsonb_build_object('from_at', z.from_at, 'until_at', z.until_at, 'note', z.note))
   FROM fleet_freeze z WHERE z.namespace = $1 AND (z.until_at IS NULL OR z.until_at > now())) AS freezes,
  ${HANDOVERS_OF_TASK} AS handovers, ${CALENDARS_OF_TASK} AS calendars`;

/** The task of a name, unless it is deleted. */
export async function findTask(db: Database, name: string): Promise<Task | null> {
  const [row] = await query<TaskRow>(
    db.pool,
    'find_task',
    `SELECT ${COLUMNS} FROM ${TASKS} WHERE t.namespace = $1 AND t.name = $2 AND t.deleted_at IS NULL`,
    [db.namespace, name],
  );
  return row ? toTask(row) : null;
}

/** The task of an id, unless it is deleted. */
export async function findTaskById(db: Database, id: string): Promise<Task | null> {
  const [task] = await listTasksById(db, [id]);
  return task ?? null;
}

/** The tasks of these ids that are not deleted, in that order. */
export async function listTasksById(db: Database, ids: readonly string[]): Promise<Task[]> {
  const rows = await query<TaskRow>(
    db.hot,
    'list_tasks_by_id',
    `SELECT ${COLUMNS} FROM ${TASKS} WHERE t.namespace = $1 AND t.id = ANY ($2::uuid[]) AND t.deleted_at IS NULL`,
    [db.namespace, ids],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = found.get(id);
    return row ? [toTask(row)] : [];
  });
}

/** The name of a task by its id, of a deleted one too. Null: there is none. */
export async function taskNameOf(db: Database, id: string): Promise<string | null> {
  const [row] = await query<{ name: string }>(
    db.pool,
    'task_name_of',
    'SELECT name FROM task WHERE namespace = $1 AND id = $2',
    [db.namespace, id],
  );
  return row?.name ?? null;
}

/** Which tasks, all bounds together. */
export interface TaskFilter {
  source?: string | undefined;
  pool?: string | undefined;
  labels?: LabelFilter | undefined;
  /** With `*` for any characters, and `?` for one. */
  name?: string | undefined;
}

/** All tasks by name, or those of a filter. */
export async function listTasks(db: Database, { source, pool, labels, name }: TaskFilter = {}): Promise<Task[]> {
  const rows = await query<TaskRow>(
    db.pool,
    'list_tasks',
    `SELECT ${COLUMNS} FROM ${TASKS} WHERE t.namespace = $1 AND t.deleted_at IS NULL AND ($2::text IS NULL OR t.source = $2)
       AND ($3::text IS NULL OR t.pool = $3) AND ($4::text IS NULL OR t.name LIKE $4) AND ${meetsLabels('t', '$5')}
     ORDER BY t.name`,
    [db.namespace, source ?? null, pool ?? null, name === undefined ? null : toNameLike(name), toSelectors(labels)],
  );
  return rows.map(toTask);
}

/** A pattern of a shell as one of LIKE. */
export function toNameLike(pattern: string): string {
  return pattern
    .replaceAll(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_');
}

export interface TaskVersion {
  name: string;
  definition: TaskDefinition;
  /** Who saved it. */
  savedBy: Omit<Principal, 'address'>;
}

/** The definitions that runs were made from, in the order asked; null: there is no such version. */
export async function taskVersions(
  db: Database,
  versions: readonly { taskId: string; version: number }[],
): Promise<(TaskVersion | null)[]> {
  const rows = await query<VersionRow>(
    db.hot,
    'task_versions',
    `SELECT i.ord, t.name, v.definition, v.saver_kind, v.saver_id, v.created_by
     FROM unnest($1::uuid[], $2::integer[]) WITH ORDINALITY AS i(task_id, version, ord)
     JOIN task_version v ON v.task_id = i.task_id AND v.version = i.version
     JOIN task t ON t.id = v.task_id AND t.namespace = $3`,
    [versions.map((each) => each.taskId), versions.map((each) => each.version), db.namespace],
  );
  const found = new Map(rows.map((row) => [Number(row.ord), row]));
  return versions.map((_, index) => {
    const row = found.get(index + 1);
    return row ? toVersion(row) : null;
  });
}

interface VersionRow {
  ord: bigint;
  name: string;
  definition: unknown;
  saver_kind: PrincipalKind;
  saver_id: string;
  created_by: string;
}

function toVersion({ name, definition, saver_kind, saver_id, created_by }: VersionRow): TaskVersion {
  const savedBy = { kind: saver_kind, id: saver_id, name: created_by };
  return { name, definition: taskDefinition.parse(definition), savedBy };
}

/** Another task than those named that uses the same key with another limit: the limit belongs to the key. */
export async function disagreeingLimit(
  db: Database,
  task: { names: readonly string[]; keyTemplate: string; limit: number },
): Promise<{ name: string; limit: number } | null> {
  const [row] = await query<{ name: string; limit: number }>(
    db.pool,
    'disagreeing_limit',
    `SELECT name, key_limit AS limit FROM task
     WHERE namespace = $1 AND key_template = $2 AND name <> ALL ($3::text[]) AND key_limit <> $4 AND deleted_at IS NULL LIMIT 1`,
    [db.namespace, task.keyTemplate, task.names, task.limit],
  );
  return row ?? null;
}

/** Another task than those named that counts under the same key by another rate: what is allowed belongs to the key. */
export async function disagreeingRate(
  db: Database,
  task: { names: readonly string[]; rateKey: string; limit: number; perMs: number },
): Promise<{ name: string; limit: number; perMs: number } | null> {
  const [row] = await query<{ name: string; limit: number; per_ms: bigint }>(
    db.pool,
    'disagreeing_rate',
    `SELECT name, rate_limit AS limit, rate_per_ms AS per_ms FROM task
     WHERE namespace = $1 AND rate_key = $2 AND name <> ALL ($3::text[]) AND (rate_limit, rate_per_ms) <> ($4, $5) AND deleted_at IS NULL LIMIT 1`,
    [db.namespace, task.rateKey, task.names, task.limit, task.perMs],
  );
  return row ? { name: row.name, limit: row.limit, perMs: Number(row.per_ms) } : null;
}

function toTask(row: TaskRow): Task {
  const { definition, unreadable } = readableDefinition(row.definition, row.name);
  const pauses = (row.pauses ?? []).map(toPause);
  return {
    id: row.id,
    name: row.name,
    formerNames: row.former_names,
    version: row.version,
    definition,
    source: row.source,
    planSeq: row.plan_seq,
    effectiveAt: row.effective_at,
    plannedRuns: row.planned_runs,
    nextRunAt: row.next_run_at,
    nextStartAt: startOf(row, definition, pauses),
    planError: row.plan_error ?? unreadable,
    ...(unreadable === null ? {} : { unreadable }),
    neverFires: row.never_fires,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    pauses,
    handovers: toHandovers(row.handovers),
  };
}

function startOf(row: TaskRow, definition: TaskDefinition, pauses: readonly TaskPause[]): Date | null {
  const [planned = null, asked = null] = row.starts ?? [];
  // Until then its schedule rests.
  const decided = pauses.find(({ runId }) => runId !== null);
  const scheduled = nextStart(definition, decided ? dueAfter(decided) : (planned ?? row.next_run_at), {
    pauses: [
      ...(definition.shadow ? restsOf(toHandovers(row.handovers)) : []),
      ...pauses.filter(({ runId }) => runId === null),
      ...(row.freezes ?? []).map(toWindow),
    ],
    calendars: row.calendars ?? [],
  });
  // Equivalent mutant (border): both ways give the same instant.
  return asked && (!scheduled || asked < scheduled) ? asked : scheduled;
}

function toPause(pause: NonNullable<TaskRow['pauses']>[number]): TaskPause {
  return { ...toWindow(pause), createdBy: pause.created_by, runId: pause.run_id, failures: pause.failures };
}

function toWindow({ from_at, until_at, note }: WindowRow): PauseWindow {
  return { fromAt: new Date(from_at), untilAt: until_at === null ? null : new Date(until_at), note };
}

/** A pause that a run has decided ends right after the instant at which the task is due. */
function dueAfter({ untilAt }: TaskPause): Date | null {
  return untilAt && new Date(untilAt.getTime() - 1);
}
