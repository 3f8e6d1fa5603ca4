import { type Database, query } from '../postgres/database.ts';
import { RUN_VIEW, type RunRow, type RunView, toRunView } from './read-runs.ts';
import { type Conditions, conditionsOf, idsBetween, LATEST_FIRST, ofTasks, type RunFilter } from './run-conditions.ts';
import { isOfTasks, ofEachTask, type Statement, statementFor } from './run-statements.ts';

/**
 * Runs, the latest scheduled first. Each set of bounds is a statement of its own, as a plan that is good for all is good for
 * none: it finds the ids by one index, or by a few small ones, and reads the rows of those. So it hardly matters how many runs
 * there are.
 */
export async function listRuns(db: Database, filter: RunFilter): Promise<RunView[]> {
  const list = async ({ name, text, values, pool }: Statement) =>
    (await query<RunRow>(db[pool], name, text, values)).map(toRunView);
  if (mayBeAmongLatest(filter)) {
    const tasks = isOfTasks(filter) ? await firstTasks(db, filter, FEW_TASKS + 1) : undefined;
    if (tasks && tasks.length <= FEW_TASKS)
      return tasks.length === 0 ? [] : await list(ofTheseTasks(db, filter, tasks));
    const runs = await list(amongLatest(db, filter, SCANNED));
    if (runs.length === filter.limit || (await areFew(db, filter))) return runs;
    // Not far behind are the rest of them.
    const further = runs.length * SHARE >= filter.limit ? await list(amongLatest(db, filter, SCANNED_FURTHER)) : [];
    if (further.length === filter.limit) return further;
  }
  // Where the latest of all have too few of them, the namespace is small beside others.
  const ofAny = ({ others }: Conditions) => (mayBeAmongLatest(filter) ? ofEachTask('t.namespace = $1', others) : null);
  return await list(statementFor(db, filter, { rows: rowsOf, prefix: 'list', ofAny }));
}

/**
 * So many of the latest runs, of all namespaces, are read before each task is asked for its own. Where one of a hundred is wanted they have a
 * page; and where they have none, it has cost a few milliseconds.
 */
const SCANNED = 5000;
const LARGEST_PAGE = SCANNED / 5;
/** Where so many had a quarter of a page, it goes on up to here: each run costs less than a task that is asked. */
const SHARE = 4;
const SCANNED_FURTHER = 2 * SHARE * SCANNED;

/** Whether runs of several tasks, or of any, are wanted, and nothing else that a run has to meet. */
function mayBeAmongLatest({ taskName, key, worker, origins, states, error, limit }: RunFilter): boolean {
  return limit <= LARGEST_PAGE && [taskName, key, worker, origins, states, error].every((bound) => bound === undefined);
}

/** Each costs two probes of an index, some 0.02 ms; more than so many cost more than the latest of all runs. */
const FEW_TASKS = 300;

/** The ids of tasks of a filter, at most so many. */
async function firstTasks(db: Database, filter: RunFilter, most: number): Promise<string[]> {
  const values: unknown[] = [db.namespace];
  const text = `SELECT t.id FROM task t WHERE ${ofTasks(filter, values)} LIMIT ${most}`;
  const name = ['tasks_of_runs', ...[filter.tasksLike && 'names', filter.labels && 'labels'].filter(Boolean)].join('_');
  const rows = await query<{ id: string }>(db.pool, name, text, values);
  return rows.map(({ id }) => id);
}

function ofTheseTasks(
  db: Database,
  { tasksLike: _, labels: __, ...filter }: RunFilter,
  tasks: readonly string[],
): Statement {
  const { others, values } = conditionsOf(db, filter);
  const ids = ofEachTask(`t.id = ANY ($${values.push(tasks)}::uuid[])`, others);
  const name = filter.before === undefined ? 'list_runs_of_tasks' : 'list_runs_of_tasks_page';
  return { name, text: rowsOf(ids), values, pool: 'hot' };
}

function amongLatest(db: Database, filter: RunFilter, scanned: number): Statement {
  const { time, task, values } = conditionsOf(db, filter);
  const bounds = [
    String(scanned),
    filter.tasksLike && 'names',
    filter.labels && 'labels',
    filter.before !== undefined && 'page',
  ];
  // Not of the namespace alone: where it has few runs that would go through those of all others.
  const rows = `SELECT r.id, r.scheduled_for, r.namespace, r.task_id FROM any_run r WHERE ${time} AND ${idsBetween(filter, values)}
    ORDER BY r.id DESC LIMIT ${scanned}`;
  // IS TRUE: the tasks are found once, and each run is looked up among them; a join would be planned from the tasks.
  const ofTasks = task === '' ? '' : ` AND (w.task_id IN (SELECT t.id FROM task t WHERE ${task})) IS TRUE`;
  const ids = `SELECT w.id, w.scheduled_for FROM (${rows}) w WHERE w.namespace = $1${ofTasks} ORDER BY w.id DESC LIMIT $2`;
  const name = ['list_runs_among_latest', ...bounds.filter(Boolean)].join('_');
  return { name, text: rowsOf(ids), values, pool: 'pool' };
}

/** Whether those that were read are all that there are of this time. */
async function areFew(db: Database, filter: RunFilter): Promise<boolean> {
  const values: unknown[] = [];
  // Equivalent mutant (order): they are only counted.
  const all = `SELECT FROM any_run r WHERE ${idsBetween(filter, values)} ORDER BY r.id DESC LIMIT ${SCANNED}`;
  const text = `SELECT count(*) < ${SCANNED} AS few FROM (${all}) latest`;
  const [row] = await query<{ few: boolean }>(db.hot, 'are_few_runs', text, values);
  // Equivalent mutant (boolean): a count answers with one row.
  return row?.few ?? false;
}

// Materialized: else Postgres would go through all runs in the order that is asked for, until it has found enough.
const rowsOf = (ids: string): string => `
WITH found AS MATERIALIZED (${ids}),
latest AS MATERIALIZED (SELECT id, scheduled_for FROM found ORDER BY scheduled_for DESC, id DESC LIMIT $2)
SELECT ${RUN_VIEW}
FROM latest l JOIN any_run r ON r.id = ANY (ARRAY[l.id]) AND r.scheduled_for = l.scheduled_for JOIN task t ON t.id = r.task_id
${LATEST_FIRST}`;
