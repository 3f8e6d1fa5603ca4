import { OPEN_STATES, type RunState } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { ofEachGoingOn } from './admission.ts';
import { RUN_VIEW, type RunRow, type RunView, toRunView } from './read-runs.ts';
import { conditionsOf, IDS, idsBetween, LATEST_FIRST, type RunFilter } from './run-conditions.ts';
import { idsOfErrors } from './runs-by-error.ts';
import { idsOfOrigins, looksThrough } from './runs-by-origin.ts';

/**
 * Runs, the latest scheduled first. Each set of bounds is a statement of its own, as a plan that is good for all is good for
 * none: it finds the ids by one index, or by a few small ones, and reads the rows of those. So it hardly matters how many runs
 * there are.
 */
export async function listRuns(db: Database, filter: RunFilter): Promise<RunView[]> {
  const list = async ({ name, text, values }: Statement) =>
    (await query<RunRow>(db.pool, name, text, values)).map(toRunView);
  if (mayBeAmongLatest(filter)) {
    const runs = await list(amongLatest(db, filter));
    if (runs.length === filter.limit || (await areFew(db, filter))) return runs;
  }
  return await list(statementFor(db, filter, { rows: rowsOf, prefix: 'list' }));
}

/**
 * So many of the latest runs, of all namespaces, are read before each task is asked for its own. Where one of a hundred is wanted they have a
 * page; and where they have none, it has cost a few milliseconds.
 */
const WALKED = 5000;
const LARGEST_PAGE = WALKED / 5;

/** Whether runs of several tasks, or of any, are wanted, and nothing else that a run has to meet. */
function mayBeAmongLatest({ taskName, key, worker, origins, states, error, limit }: RunFilter): boolean {
  return limit <= LARGEST_PAGE && [taskName, key, worker, origins, states, error].every((bound) => bound === undefined);
}

function amongLatest(db: Database, filter: RunFilter): Statement {
  const { time, task, values } = conditionsOf(db, filter);
  const bounds = [filter.tasksLike && 'names', filter.labels && 'labels', filter.before !== undefined && 'page'];
  // Not of the namespace alone: where it has few runs that would go through those of all others.
  const walked = `SELECT r.id, r.scheduled_for, r.namespace, r.task_id FROM run r WHERE ${time} AND ${idsBetween(filter, values)}
    ORDER BY r.id DESC LIMIT ${WALKED}`;
  // IS TRUE: the tasks are found once, and each run is looked up among them; a join would be planned from the tasks.
  const ofTasks = task === '' ? '' : ` AND (w.task_id IN (SELECT t.id FROM task t WHERE ${task})) IS TRUE`;
  const ids = `SELECT w.id, w.scheduled_for FROM (${walked}) w WHERE w.namespace = $1${ofTasks} ORDER BY w.id DESC LIMIT $2`;
  return { name: ['list_runs_among_latest', ...bounds.filter(Boolean)].join('_'), text: rowsOf(ids), values };
}

/** Whether those that were read are all that there are of this time. */
async function areFew(db: Database, filter: RunFilter): Promise<boolean> {
  const values: unknown[] = [];
  const all = `SELECT FROM run r WHERE ${idsBetween(filter, values)} ORDER BY r.id DESC LIMIT ${WALKED}`;
  const text = `SELECT count(*) < ${WALKED} AS few FROM (${all}) latest`;
  const [row] = await query<{ few: boolean }>(db.pool, 'are_few_runs', text, values);
  return row?.few ?? false;
}

/** How many runs meet a filter; at most its limit. */
export async function countRuns(db: Database, filter: RunFilter): Promise<number> {
  const { name, text, values } = statementFor(db, filter, { rows: countOf, prefix: 'count' });
  const [row] = await query<{ count: number }>(db.pool, name, text, values);
  return row?.count ?? 0;
}

interface Statement {
  name: string;
  text: string;
  values: readonly unknown[];
}

/** What is made of the ids of runs. */
interface Wanted {
  rows: (ids: string) => string;
  prefix: string;
}

function statementFor(db: Database, filter: RunFilter, wanted: Wanted): Statement {
  const { taskName, tasksLike, labels, key, worker, origins, states, before } = filter;
  const conditions = conditionsOf(db, filter);
  const { all, notByTask, others, task, values } = conditions;
  const statement = (way: string, ids: string): Statement => {
    const bounds = [
      taskName !== undefined && 'task',
      tasksLike && 'names',
      labels && 'labels',
      key !== undefined && 'key',
      worker !== undefined && 'worker',
      origins && 'origin',
      states && 'state',
      before !== undefined && 'page',
    ].filter(Boolean);
    return { name: `${wanted.prefix}_runs_by_${[way, ...bounds].join('_')}`, text: wanted.rows(ids), values };
  };
  if (filter.error !== undefined) {
    const found = idsOfErrors(db, { ...filter, error: filter.error });
    // Planned anew each time, as below.
    return { ...statement('error', found.text), name: '', values: found.values };
  }
  if (key !== undefined) return statement('key', ofKey(notByTask));
  if (states && !states.includes('succeeded')) {
    const rare = latestOf(conditions.states, all);
    return states.some(isGoingOn) ? statement('phases', either(rare, goingOn(notByTask))) : statement('phase', rare);
  }
  if (looksThrough(filter)) {
    const found = idsOfOrigins(db, filter);
    // Planned anew each time: a plan for any time takes few runs to lie in it, and would sort them all.
    return { ...statement('origin', found.text), name: '', values: found.values };
  }
  if (labels || tasksLike) return statement('labels', ofEachTask(task, others));
  if (taskName !== undefined) return statement('task', `${IDS} ${all} ${LATEST_FIRST} LIMIT $2`);
  // Where the latest of all have too few of them, the namespace is small beside others.
  if (wanted.prefix === 'list' && mayBeAmongLatest(filter))
    return statement('tasks', ofEachTask('t.namespace = $1', others));
  return statement('id', `${IDS} ${all} AND ${idsBetween(filter, values)} ORDER BY r.id DESC LIMIT $2`);
}

/** Of each task as many as are wanted, by its index: the runs of others are not read. */
const ofEachTask = (task: string, where: string): string => `
SELECT s.* FROM task t CROSS JOIN LATERAL (${IDS} ${where} AND r.task_id = t.id ${LATEST_FIRST} LIMIT $2) s WHERE ${task}`;

const either = (...ids: readonly string[]): string => ids.map((each) => `(${each})`).join('\nUNION ALL ');

// Materialized: else Postgres would go through all runs in the order that is asked for, until it has found enough.
const rowsOf = (ids: string): string => `
WITH found AS MATERIALIZED (${ids}),
latest AS MATERIALIZED (SELECT id, scheduled_for FROM found ORDER BY scheduled_for DESC, id DESC LIMIT $2)
SELECT ${RUN_VIEW}
FROM latest l JOIN run r ON r.id = ANY (ARRAY[l.id]) AND r.scheduled_for = l.scheduled_for JOIN task t ON t.id = r.task_id
${LATEST_FIRST}`;

const countOf = (ids: string): string =>
  `SELECT count(*)::integer AS count FROM (SELECT FROM (${ids}) found LIMIT $2) counted`;

/** Of each state that is its own phase, the latest. */
const latestOf = (states: string, where: string): string => `
SELECT s.* FROM unnest(${states}) AS w(state) CROSS JOIN LATERAL (
  ${IDS} ${where} AND r.phase = w.state
    AND r.phase IN ('held', 'failed', 'timed_out', 'quarantined', 'unknown', 'cancelled', 'skipped', 'missed', 'superseded')
  ${LATEST_FIRST} LIMIT $2) s`;

const isGoingOn = (state: RunState): boolean => OPEN_STATES.includes(state) && state !== 'held' && state !== 'unknown';

/** What is going on is little. */
const goingOn = (where: string): string => ofEachGoingOn((isOfPhase) => `${IDS} ${where} AND ${isOfPhase}`);

const ofKey = (where: string): string =>
  either(
    `${IDS} ${where} AND r.finished_at IS NOT NULL ${LATEST_FIRST} LIMIT $2`,
    latestOf(`'{held, unknown}'::text[]`, where),
    goingOn(where),
  );
