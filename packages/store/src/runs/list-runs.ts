import { type LabelFilter, newRunId, OPEN_STATES, type RunOrigin, type RunState } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { workerOf } from '../processes/worker-of.ts';
import { meetsLabels, toTerms } from '../tasks/task-labels.ts';
import { RUN_VIEW, type RunRow, type RunView, toRunView } from './read-runs.ts';

/** Which runs, all bounds together. */
export interface RunFilter {
  taskName?: string;
  /** Of the tasks that have these labels now. */
  labels?: LabelFilter;
  states?: readonly RunState[];
  /** As it came out of the task's template. */
  key?: string;
  /** Those that belong to the worker of this name, or that a process with this id has begun. */
  worker?: string;
  /** Where they came from. With no other bound but time, runs of a rare origin are looked for one by one. */
  origins?: readonly RunOrigin[];
  /** Runs scheduled for this instant or later. */
  since?: Date;
  /** Runs scheduled for before this instant. */
  until?: Date;
  limit: number;
}

/**
 * Runs, the latest scheduled first. Each set of bounds is a statement of its own, as a plan that is good for all is good for
 * none: it finds the ids by one index, or by a few small ones, and reads the rows of those. So it hardly matters how many runs
 * there are.
 */
export async function listRuns(db: Database, filter: RunFilter): Promise<RunView[]> {
  const { name, text, values } = statementFor(db, filter);
  return (await query<RunRow>(db.pool, name, text, values)).map(toRunView);
}

interface Statement {
  name: string;
  text: string;
  values: readonly unknown[];
}

/** Conditions of a filter on a run `r`. */
interface Conditions {
  /** All of them. */
  all: string;
  /** All but those on the task. */
  others: string;
  /** Of a task `t`; empty: of any. */
  task: string;
  /** The same, but no index on tasks can serve them: where another index has fewer runs than the task. */
  notByTask: string;
  /** The parameter with the states. */
  states: string;
  values: unknown[];
}

const ALWAYS = { since: new Date(0), until: new Date('9999-12-31T00:00:00Z') };

function statementFor(db: Database, filter: RunFilter): Statement {
  const { taskName, labels, key, worker, origins, states } = filter;
  const conditions = conditionsOf(db, filter);
  const { all, notByTask, others, task, values } = conditions;
  const statement = (way: string, ids: string): Statement => {
    const bounds = [
      taskName !== undefined && 'task',
      labels && 'labels',
      key !== undefined && 'key',
      worker !== undefined && 'worker',
      origins && 'origin',
      states && 'state',
    ].filter(Boolean);
    return { name: `list_runs_by_${[way, ...bounds].join('_')}`, text: rowsOf(ids), values };
  };
  if (key !== undefined) return statement('key', ofKey(notByTask));
  if (states && !states.includes('succeeded')) {
    const rare = latestOf(conditions.states, all);
    return states.some(isGoingOn) ? statement('phases', either(rare, goingOn(notByTask))) : statement('phase', rare);
  }
  if (labels) return statement('labels', ofEachTask(task, others));
  if (taskName !== undefined) return statement('task', `${IDS} ${all} ${LATEST_FIRST} LIMIT $2`);
  // An id begins with the time: the primary key has the runs in their order, and each stretch of time in one piece.
  const { since, until } = { ...ALWAYS, ...filter };
  const between = `r.id >= $${values.push(firstIdAt(since))}::uuid AND r.id < $${values.push(firstIdAt(until))}::uuid`;
  return statement('id', `${IDS} ${all} AND ${between} ORDER BY r.id DESC LIMIT $2`);
}

function conditionsOf(db: Database, filter: RunFilter): Conditions {
  const { taskName, labels, key, worker, origins, states, limit, since, until } = { ...ALWAYS, ...filter };
  const values: unknown[] = [db.namespace, limit, since.toISOString(), until.toISOString()];
  const wanted = states ? `$${values.push(states)}::text[]` : '';
  const others = [
    'r.namespace = $1 AND r.scheduled_for >= $3::timestamptz AND r.scheduled_for < $4::timestamptz',
    ...(key === undefined ? [] : [`r.key = $${values.push(key)}::text`]),
    ...(worker === undefined ? [] : [ofWorker(`$${values.push(worker)}::text`)]),
    ...(states ? [`r.state = ANY (${wanted})`] : []),
    ...(origins ? [`r.origin = ANY ($${values.push(origins)}::text[])`] : []),
  ].join(' AND ');
  const tasks = [
    ...(taskName === undefined ? [] : [`t.name = $${values.push(taskName)}::text`]),
    ...(labels ? [meetsLabels('t', `$${values.push(toTerms(labels))}`)] : []),
  ];
  if (tasks.length === 0) return { all: others, notByTask: others, others, task: '', states: wanted, values };
  const task = ['t.namespace = $1', ...tasks].join(' AND ');
  const ids = `SELECT t.id FROM task t WHERE ${task}`;
  const ofTask = labels ? `r.task_id = ANY (ARRAY(${ids}))` : `r.task_id = (${ids})`;
  return {
    others,
    task,
    all: `${others} AND ${ofTask}`,
    notByTask: `${others} AND (${ofTask}) IS TRUE`,
    states: wanted,
    values,
  };
}

/** A run `r` that belongs to the worker of this name, or that the process of this id has begun. */
function ofWorker(name: string): string {
  return `(${workerOf('r')} = ${name} OR r.worker = ${name})`;
}

/** Below the ids of all runs that are scheduled then or later, above all others. */
function firstIdAt(at: Date): string {
  return newRunId(at, new Uint8Array(10)).replace('-7000-8000-', '-0000-0000-');
}

const IDS = 'SELECT r.id, r.scheduled_for FROM run r WHERE';
const LATEST_FIRST = 'ORDER BY r.scheduled_for DESC, r.id DESC';

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

/** Of each state that is its own phase, the latest. */
const latestOf = (states: string, where: string): string => `
SELECT s.* FROM unnest(${states}) AS w(state) CROSS JOIN LATERAL (
  ${IDS} ${where} AND r.phase = w.state
    AND r.phase IN ('held', 'failed', 'timed_out', 'quarantined', 'unknown', 'cancelled', 'skipped', 'missed', 'superseded')
  ${LATEST_FIRST} LIMIT $2) s`;

const isGoingOn = (state: RunState): boolean => OPEN_STATES.includes(state) && state !== 'held' && state !== 'unknown';

/** What is going on is little, and each of its phases has an index. They stand in the text, so that Postgres knows which. */
const goingOn = (where: string): string =>
  either(...['live', 'untold', 'repeating', 'waiting'].map((phase) => `${IDS} ${where} AND r.phase = '${phase}'`));

const ofKey = (where: string): string =>
  either(
    `${IDS} ${where} AND r.finished_at IS NOT NULL ${LATEST_FIRST} LIMIT $2`,
    latestOf(`'{held, unknown}'::text[]`, where),
    goingOn(where),
  );
