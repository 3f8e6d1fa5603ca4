import { type LabelFilter, newRunId, type RunOrigin, type RunState } from '@escapement/core';
import type { Database } from '../database.ts';
import { workerOf } from '../processes/worker-of.ts';
import { meetsLabels, toTerms } from '../tasks/task-labels.ts';

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
  /** Where they came from. No index has them: without a key, and states other than `succeeded`, so many runs are looked through (`lookedBackTo`). */
  origins?: readonly RunOrigin[];
  /** Runs scheduled for this instant or later. */
  since?: Date;
  /** Runs scheduled for before this instant. */
  until?: Date;
  limit: number;
}

/** Conditions of a filter on a run `r`. */
export interface Conditions {
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

export function conditionsOf(db: Database, filter: RunFilter): Conditions {
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

/** Runs `r` of the time of a filter by their ids, which begin with it: the primary key has them in one piece. */
export function idsBetween(filter: Pick<RunFilter, 'since' | 'until'>, values: unknown[]): string {
  const { since, until } = { ...ALWAYS, ...filter };
  return `r.id >= $${values.push(firstIdAt(since))}::uuid AND r.id < $${values.push(firstIdAt(until))}::uuid`;
}

/** Below the ids of all runs that are scheduled then or later, above all others. */
function firstIdAt(at: Date): string {
  return newRunId(at, new Uint8Array(10)).replace('-7000-8000-', '-0000-0000-');
}

export const IDS = 'SELECT r.id, r.scheduled_for FROM run r WHERE';
export const LATEST_FIRST = 'ORDER BY r.scheduled_for DESC, r.id DESC';
