import { randomUUID } from 'node:crypto';
import type { By } from '@escapement/core';
import type { LabelFilter } from '@escapement/core/rights';
import { nameIn, noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { isForAPerson } from '../shadow/handovers.ts';
import { meetsLabels, toSelectors } from '../tasks/task-labels.ts';
import { toFinishRecord } from './finish-record.ts';
import { inTurn } from './overlap-policies.ts';
import { WAKE_CHANNEL } from './trigger-run.ts';

/** What a task has to catch up that waits for a person. */
export interface HeldTask {
  task: string;
  taskId: string;
  /** What the task is for, as its definition says. */
  description: string | null;
  /** Of the task: those with a higher one go on first. */
  priority: number;
  held: number;
  /** Why the newest of them is held. */
  reason: string | null;
  /** The oldest and the newest occurrence that is held. */
  firstAt: Date;
  lastAt: Date;
}

/** Tasks with held runs, the oldest first: of all, of one by its name, or of those that have these labels. */
export async function heldTasks(
  db: Database,
  { task, labels }: { task?: string | undefined; labels?: LabelFilter | undefined } = {},
): Promise<HeldTask[]> {
  return await query<HeldTask & { [column: string]: unknown }>(db.pool, 'held_tasks', HELD_TASKS, [
    db.namespace,
    task ?? null,
    toSelectors(labels),
  ]);
}

const HELD_TASKS = `
SELECT t.name AS task, t.id AS "taskId", t.definition->>'description' AS description, coalesce(t.priority, 0) AS priority,
  count(*)::integer AS held, (array_agg(r.reason ORDER BY r.scheduled_for DESC, r.id DESC))[1] AS reason,
  min(r.scheduled_for) AS "firstAt", max(r.scheduled_for) AS "lastAt"
FROM run r JOIN task t ON t.id = r.task_id
WHERE r.namespace = $1 AND ${isForAPerson('r')} AND ($2::text IS NULL OR t.name = $2) AND ${meetsLabels('t', '$3')}
GROUP BY t.id ORDER BY min(r.scheduled_for), t.name`;

export interface HeldRun {
  id: string;
  scheduledFor: Date;
  dispatch: number;
  /** Of its task. */
  priority: number;
}

/** A held run with the place of its task in the order that was asked for, from 1 on; of those that are not in it, the one behind the last. */
export interface PlacedRun extends HeldRun {
  place: number;
}

/** Which of the held runs: all, the newest of each task, or all but those. */
export type HeldChoice = 'all' | 'newest' | 'older';

export interface HeldOptions {
  /** Of these tasks only, by name; null: of all. */
  tasks: readonly string[] | null;
  choice: HeldChoice;
  /** Of these runs only, by id. Default: of all. */
  runs?: readonly string[] | null;
}

/** A page of held runs: those behind one (undefined: from the first on). */
export interface HeldRunsPage extends HeldOptions {
  after: PlacedRun | undefined;
  limit: number;
  /** Names of tasks, each once: those of the first one come first, then those of the second, and so on. Default: none come before others. */
  order?: readonly string[] | null;
}

/** Held runs in the order of tasks that is asked for, then by priority, the highest first, then in order of their occurrence. */
export async function heldRuns(db: Database, options: HeldRunsPage): Promise<PlacedRun[]> {
  const rows = await query<HeldRow>(db.pool, 'held_runs', HELD_RUNS, [
    db.namespace,
    options.tasks,
    options.choice,
    options.runs ?? null,
    options.after?.scheduledFor.toISOString() ?? '-infinity',
    options.after?.id ?? '00000000-0000-0000-0000-000000000000',
    options.limit,
    options.after?.priority ?? null,
    options.order ?? [],
    options.after?.place ?? null,
  ]);
  return rows.map(({ scheduled_for: scheduledFor, ...row }) => ({ ...row, scheduledFor }));
}

interface HeldRow {
  id: string;
  scheduled_for: Date;
  dispatch: number;
  priority: number;
  place: number;
}

/** How many there are of a choice. */
export async function countHeld(db: Database, { tasks, choice, runs = null }: HeldOptions): Promise<number> {
  const [row] = await query<{ count: number }>(
    db.pool,
    'count_held',
    `SELECT count(*)::integer AS count FROM run r JOIN task t ON t.id = r.task_id WHERE ${HELD}`,
    [db.namespace, tasks, choice, runs],
  );
  return row?.count ?? 0;
}

const HELD = `r.namespace = $1 AND ${isForAPerson('r')} AND ($2::text[] IS NULL OR t.name = ANY ($2))
  AND ($4::uuid[] IS NULL OR r.id = ANY ($4)) AND ($3 = 'all' OR ($3 = 'older') = EXISTS (SELECT FROM run n WHERE n.task_id = r.task_id AND ${isForAPerson('n')}
    AND (n.scheduled_for, n.id) > (r.scheduled_for, r.id)))`;

const PLACE = 'coalesce(o.place, cardinality($9::text[]) + 1)';

// The names are joined: to look each one up in the array takes fifteen times as long with 1,000 names and 100,000 held runs.
const HELD_RUNS = `
SELECT r.id, r.scheduled_for, r.dispatch, coalesce(t.priority, 0) AS priority, ${PLACE}::integer AS place
FROM run r JOIN task t ON t.id = r.task_id LEFT JOIN unnest($9::text[]) WITH ORDINALITY AS o(name, place) ON o.name = t.name
WHERE ${HELD} AND ($8::smallint IS NULL
  OR (${PLACE}, -coalesce(t.priority, 0), r.scheduled_for, r.id) > ($10::bigint, -$8, $5::timestamptz, $6::uuid))
ORDER BY ${PLACE}, coalesce(t.priority, 0) DESC, r.scheduled_for, r.id LIMIT $7`;

/**
 * Lets held runs go on, each from its own time on, one after the other in each key. Those that somebody else has let
 * go or dropped meanwhile are left alone. Returns how many.
 */
export async function releaseHeld(db: Database, runs: readonly (HeldRun & { dueAt: Date })[], by: By): Promise<number> {
  const rows = await query(db.pool, 'release_held', RELEASE_HELD, [
    runs.map((run) => run.id),
    runs.map((run) => run.scheduledFor.toISOString()),
    runs.map((run) => run.dueAt.toISOString()),
    toActing(by),
    WAKE_CHANNEL,
    db.namespace,
  ]);
  return rows.length;
}

// Not bound by a start deadline any more: a person has decided.
const RELEASE_HELD = `
WITH input AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS i(id, scheduled_for, due_at)
), picked AS MATERIALIZED (
  SELECT i.* FROM input i JOIN run r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for
  WHERE r.namespace = $6 AND ${isForAPerson('r')}
  ORDER BY r.namespace, r.key, r.id
  FOR UPDATE OF r SKIP LOCKED
), released AS (
  UPDATE run r SET state = 'planned', reason = NULL, requested_by = ${nameIn('$4')}, due_at = p.due_at, start_by = NULL,
    overlap = ${inTurn('r.overlap')}
  FROM picked p WHERE r.id = ANY (ARRAY[p.id]) AND r.scheduled_for = p.scheduled_for
  RETURNING r.id
), noted AS (
  ${noteAction({
    by: '$4',
    namespace: '$6',
    action: "'recovery run'",
    subject: "'run:' || released.id",
    from: 'released',
  })}
)
SELECT id, (SELECT pg_notify($5, $6)) AS woken FROM released`;

/** Ends held runs as missed. Those that somebody else has released or dropped meanwhile are left alone. Returns how many. */
export async function dropHeld(db: Database, runs: readonly HeldRun[], by: By): Promise<number> {
  const reason = `dropped by ${by.principal.name}${by.reason ? `: ${by.reason}` : ''}`;
  const ends = runs.map((run) =>
    toFinishRecord({
      runId: run.id,
      scheduledFor: run.scheduledFor,
      seen: { state: 'held', dispatch: run.dispatch, attempt: 0 },
      fence: null,
      finishId: randomUUID(),
      verdict: { to: 'missed', reason, lost: false, uncounted: false },
    }),
  );
  const rows = await query(db.hot, 'drop_held', DROP_HELD, [db.namespace, JSON.stringify(ends), toActing(by)]);
  return rows.length;
}

// Jobs of runs that it wakes are added by the reconciler.
const DROP_HELD = `
WITH dropped AS MATERIALIZED (
  SELECT $2::jsonb->(f.ordinality::integer - 1)->>'run_id' AS id FROM finish_runs($1, $2::jsonb) f WHERE f.result = 'applied'
), noted AS (
  ${noteAction({ by: '$3', action: "'recovery drop'", subject: "'run:' || d.id", from: 'dropped d' })}
)
SELECT id FROM dropped`;
