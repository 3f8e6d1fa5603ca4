import { OPEN_STATES, type RunState } from '@escapement/core';
import type { Database } from '../postgres/database.ts';
import { ofEachGoingOn } from './admission.ts';
import { type Conditions, conditionsOf, IDS, idsBetween, LATEST_FIRST, type RunFilter } from './run-conditions.ts';
import { idsOfErrors } from './runs-by-error.ts';
import { idsOfOrigins, looksThrough } from './runs-by-origin.ts';

/** A statement on runs that meet a filter. */
export interface Statement {
  name: string;
  text: string;
  values: readonly unknown[];
  /** Which connections carry it out: those of `hot` plan it once. */
  pool: 'hot' | 'pool';
}

/** What is made of the ids of runs. */
interface Wanted {
  rows: (ids: string) => string;
  prefix: string;
  /** The ids where any run will do. Default: by the primary key, the latest first. */
  ofAny?: (conditions: Conditions) => string | null;
}

/** The statement for the bounds of a filter: each set of them has its own. */
export function statementFor(db: Database, filter: RunFilter, wanted: Wanted): Statement {
  const { taskName, key, states } = filter;
  const conditions = conditionsOf(db, filter);
  const { all, notByTask, ofFew, ofPhase, others, task, values } = conditions;
  const statement = (way: string, ids: string): Statement => {
    const name = nameOf(`${wanted.prefix}_runs_by_${way}`, filter);
    const text = wanted.rows(ids);
    return BY_STATE.includes(way)
      ? { text, values, ...plannedOnce(name, filter) }
      : { name, text, values, pool: 'pool' };
  };
  if (filter.error !== undefined) {
    const found = idsOfErrors(db, { ...filter, error: filter.error });
    return { ...statement('error', found.text), values: found.values };
  }
  if (key !== undefined) return statement('key', ofKey(notByTask, ofFew));
  if (states && !states.includes('succeeded')) {
    const rare = latestOf(conditions.states, ofPhase.all);
    return states.some(isGoingOn) ? statement('phases', either(rare, goingOn(ofFew))) : statement('phase', rare);
  }
  if (looksThrough(filter)) {
    const found = idsOfOrigins(db, filter);
    return { ...statement('origin', found.text), values: found.values };
  }
  if (isOfTasks(filter)) return statement('labels', ofEachTask(task, others));
  if (taskName !== undefined) return statement('task', `${IDS} ${all} ${LATEST_FIRST} LIMIT $2`);
  const ofAny = wanted.ofAny?.(conditions);
  if (ofAny) return statement('tasks', ofAny);
  return statement('id', `${IDS} ${all} AND ${idsBetween(filter, values)} ORDER BY r.id DESC LIMIT $2`);
}

/** The name of a statement: each set of bounds has its own. */
function nameOf(name: string, filter: RunFilter): string {
  const { taskName, tasksLike, labels, key, worker, origins, states, before, reasonsOnly } = filter;
  const bounds = [
    taskName !== undefined && 'task',
    tasksLike && 'names',
    labels && 'labels',
    key !== undefined && 'key',
    worker !== undefined && 'worker',
    origins && 'origin',
    states && 'state',
    before !== undefined && 'page',
    reasonsOnly && 'reasons',
  ];
  return [name, ...bounds.filter(Boolean)].join('_');
}

export const isOfTasks = ({ labels, tasksLike }: RunFilter): boolean => labels !== undefined || tasksLike !== undefined;

/**
 * Of a statement by an index that has the runs in order, whatever the time: one plan serves all values, and is made once, as it takes longer than
 * the statement. Where several tasks are meant it is made anew each time: a plan for any tasks would go through all failures for those of a few.
 */
export function plannedOnce(name: string, filter: RunFilter): Pick<Statement, 'name' | 'pool'> {
  return isOfTasks(filter) ? { name: '', pool: 'pool' } : { name: nameOf(name, filter), pool: 'hot' };
}

/** Ways of which that is true. */
const BY_STATE: readonly string[] = ['error', 'origin', 'phase', 'phases'];

/**
 * Of each task the latest, by its index: the runs of others are not read. A page is shared among the tasks first; none that is older than the
 * last of those runs can be on it. Where they are fewer than a page, each task is asked for a whole one.
 */
export const ofEachTask = (task: string, where: string): string => `
WITH chosen AS MATERIALIZED (SELECT t.id FROM task t WHERE ${task}),
share AS MATERIALIZED (
  SELECT c.id AS task_id, s.scheduled_for FROM chosen c CROSS JOIN LATERAL (
    ${IDS} ${where} AND r.task_id = c.id ${LATEST_FIRST} LIMIT (SELECT ceil($2::numeric / greatest(count(*), 1))::bigint FROM chosen)) s),
oldest AS MATERIALIZED (SELECT coalesce((SELECT s.scheduled_for FROM share s ORDER BY s.scheduled_for DESC OFFSET $2 - 1 LIMIT 1), '-infinity') AS at)
SELECT s.* FROM (SELECT DISTINCT h.task_id FROM share h WHERE h.scheduled_for >= (SELECT at FROM oldest)) c CROSS JOIN LATERAL (
  ${IDS} ${where} AND r.task_id = c.task_id AND r.scheduled_for >= (SELECT at FROM oldest) ${LATEST_FIRST} LIMIT $2) s`;

const either = (...ids: readonly string[]): string => ids.map((each) => `(${each})`).join('\nUNION ALL ');

/** The latest runs of the state of a row `w`, which is its own phase. */
export const ofRareState = (where: string): string => `
  ${IDS} ${where} AND r.phase = w.state
    AND r.phase IN ('held', 'failed', 'timed_out', 'quarantined', 'unknown', 'cancelled', 'skipped', 'missed', 'superseded')
  ${LATEST_FIRST} LIMIT $2`;

/** Of each state that is its own phase, the latest. */
const latestOf = (states: string, where: string): string =>
  `SELECT s.* FROM unnest(${states}) AS w(state) CROSS JOIN LATERAL (${ofRareState(where)}) s`;

/** Whether runs of a state go on by themselves; each of the others but `succeeded` is a phase of its own. */
export const isGoingOn = (state: RunState): boolean =>
  OPEN_STATES.includes(state) && state !== 'held' && state !== 'unknown';

/** What is going on is little. */
const goingOn = (where: string): string => ofEachGoingOn((isOfPhase) => `${IDS} ${where} AND ${isOfPhase}`);

const ofKey = (where: string, ofFew: string): string =>
  either(
    `${IDS} ${where} AND r.finished_at IS NOT NULL ${LATEST_FIRST} LIMIT $2`,
    latestOf(`'{held, unknown}'::text[]`, where),
    goingOn(ofFew),
  );
