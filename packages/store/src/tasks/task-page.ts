import type { StateOfTask } from '@escapement/core';
import type { LabelFilter } from '@escapement/core/rights';
import { type Database, query } from '../postgres/database.ts';
import { FIRES_AT_INSTANTS, NEVER_FIRES } from './never-fires.ts';
import { toNameLike } from './read-task.ts';
import { hasLabels, toSelectors } from './task-labels.ts';

/** In which order tasks are listed; those that are alike by name. `next`: by the next occurrence without a row; one that cannot be planned, by the next try. */
export const TASK_ORDERS = ['name', 'next', 'updated', 'pool', 'source', 'state'] as const;

export type TaskOrder = (typeof TASK_ORDERS)[number];

/** Which tasks, all bounds together. */
export interface TaskPageFilter {
  source?: string | undefined;
  pool?: string | undefined;
  labels?: LabelFilter | undefined;
  /** With `*` for any characters, and `?` for one. */
  name?: string | undefined;
  states?: readonly StateOfTask[] | undefined;
}

/** Where a page begins: after this task. */
export interface TaskPlace {
  /** Its value in the order, as text. */
  value: string;
  id: string;
}

export interface TaskPageAsked {
  order: TaskOrder;
  descending: boolean;
  after: TaskPlace | null;
  limit: number;
}

const STATE = `CASE
  WHEN EXISTS (SELECT FROM task_pause p WHERE p.task_id = t.id AND p.run_id IS NULL AND p.from_at <= now()
    AND (p.until_at IS NULL OR p.until_at > now())) THEN 'paused'
  WHEN EXISTS (SELECT FROM task_pause p WHERE p.task_id = t.id AND p.run_id IS NOT NULL AND p.until_at IS NULL) THEN 'finished'
  WHEN EXISTS (SELECT FROM task_plan e WHERE e.task_id = t.id AND e.plan_error IS NOT NULL) THEN 'unplannable'
  WHEN ${NEVER_FIRES} THEN 'never_fires' ELSE 'active' END`;

/** What is compared, and its type. */
const ORDERS: { readonly [Order in TaskOrder]: readonly [string, 'text' | 'timestamptz'] } = {
  name: ['t.name', 'text'],
  next: [`coalesce(plan.plan_at, 'infinity')`, 'timestamptz'],
  updated: ['t.updated_at', 'timestamptz'],
  pool: ['t.pool', 'text'],
  source: ['t.source', 'text'],
  state: [STATE, 'text'],
};

// Equivalent mutant (predicate removed): it only saves a read: the statement compares the state as well.
const PAUSED_OR_FAILING = `SELECT p.task_id FROM task_pause p WHERE p.until_at IS NULL OR p.until_at > now()
  -- Equivalent mutant (predicate removed, e.namespace): the same statement compares the namespace of the task.
  -- Equivalent mutant (predicate removed, e.plan_error): it only saves a read: the statement compares the state as well.
  UNION ALL SELECT e.task_id FROM task_plan e WHERE e.namespace = $1 AND e.plan_error IS NOT NULL`;

const WITHOUT_NEXT = 'SELECT e.task_id FROM task_plan e WHERE e.namespace = $1 AND e.next_run_at IS NULL';

/** All that may be in one of these states, which few are in: they have a pause, an error, or no next occurrence. */
function candidatesOf(states: readonly StateOfTask[]): { name: string; are: string } {
  if (!states.includes('never_fires')) return { name: '_rare', are: `t.id IN (${PAUSED_OR_FAILING})` };
  // Tasks that run by hand have no next occurrence either: they are left out before more is asked of them.
  if (states.every((state) => state === 'never_fires'))
    return { name: '_never', are: `${FIRES_AT_INSTANTS} AND t.id IN (${WITHOUT_NEXT})` };
  return { name: '_rare_never', are: `t.id IN (${PAUSED_OR_FAILING} UNION ALL ${WITHOUT_NEXT})` };
}

/**
 * The tasks of a page, as places from which the next page can go on. Each order is a statement of its own. It looks at the rows of all tasks
 * that match, and at nothing of their runs; by the next occurrence, and by states other than active, at few of the others.
 */
export async function taskPage(
  db: Database,
  filter: TaskPageFilter,
  { order, descending, after, limit }: TaskPageAsked,
): Promise<TaskPlace[]> {
  const { source, pool, labels, name, states } = filter;
  const rare = states === undefined || states.includes('active') ? undefined : candidatesOf(states);
  const bounds = `t.namespace = $1 AND t.deleted_at IS NULL AND ($2::text IS NULL OR t.source = $2) AND ($3::text IS NULL OR t.pool = $3)
    AND ($4::text IS NULL OR t.name LIKE $4) AND ${labels ? hasLabels('t', '$5') : '$5::jsonb IS NULL'}
    AND ($6::text[] IS NULL OR ${STATE} = ANY ($6))${rare ? ` AND ${rare.are}` : ''}`;
  const way = descending ? 'DESC' : 'ASC';
  const text =
    order === 'next' && !descending && rare === undefined ? soonestFirst(bounds) : inOrder(bounds, order, way);
  const values = [
    db.namespace,
    source ?? null,
    pool ?? null,
    name === undefined ? null : toNameLike(name),
    toSelectors(labels),
    states ?? null,
    after?.value ?? null,
    after?.id ?? null,
    limit,
  ];
  return await query<TaskPlace & { [column: string]: unknown }>(
    db.pool,
    // Equivalent mutant (negation): the names of two prepared statements change places: each still has one text.
    `task_page_${order}_${way}${labels ? '_labels' : ''}${rare?.name ?? ''}`,
    text,
    values,
  );
}

// An outer join: where the order and the states ask nothing of the plan, Postgres leaves it out.
function inOrder(bounds: string, order: TaskOrder, way: 'ASC' | 'DESC'): string {
  const [value, type] = ORDERS[order];
  const isBehind = way === 'DESC' ? '<' : '>';
  return `SELECT s.id, s.value::text AS value FROM (SELECT t.id, t.name, ${value} AS value FROM task t LEFT JOIN task_plan plan ON plan.task_id = t.id WHERE ${bounds}) s
  WHERE $7::${type} IS NULL OR (s.value, s.id) ${isBehind} ($7::${type}, $8::uuid)
  ORDER BY s.value ${way}, s.id ${way} LIMIT $9`;
}

/** By the index of the planner, as far as a page goes; only behind its end are tasks looked at that are never due. */
const soonestFirst = (bounds: string): string => `WITH due AS MATERIALIZED (
  SELECT plan.task_id AS id, plan.plan_at AS value FROM task_plan plan JOIN task t ON t.id = plan.task_id
  -- Equivalent mutant (predicate removed, plan.namespace): the bounds compare the namespace of the task: this is for the index.
  WHERE plan.namespace = $1 AND ${bounds} AND plan.next_run_at IS NOT NULL
    AND ($7::timestamptz IS NULL OR (plan.plan_at, plan.task_id) > ($7::timestamptz, $8::uuid))
  ORDER BY plan.plan_at, plan.task_id LIMIT $9
)
SELECT s.id, s.value::text AS value FROM (
  SELECT * FROM due
  UNION ALL
  SELECT t.id, 'infinity'::timestamptz FROM task t JOIN task_plan plan ON plan.task_id = t.id
  -- Equivalent mutant (predicate removed, (SELECT): it saves a read: tasks that are never due come behind a full page.
  -- Equivalent mutant (border): it saves a read: tasks that are never due come behind a full page.
  WHERE (SELECT count(*) FROM due) < $9 AND ${bounds} AND plan.next_run_at IS NULL
    AND ($7::timestamptz IS NULL OR ('infinity'::timestamptz, t.id) > ($7::timestamptz, $8::uuid))
) s ORDER BY s.value, s.id LIMIT $9`;
