import { nearestInstant, newRunId, type RunOrigin, type RunState, scheduledForOf } from '@escapement/core';
import type { LabelFilter } from '@escapement/core/rights';
import type { Database } from '../postgres/database.ts';
import { escapeLike, toLike } from '../postgres/like.ts';
import { workerOf } from '../processes/worker-of.ts';
import { hasLabels, toSelectors } from '../tasks/task-labels.ts';

/** Which runs, all bounds together. */
export interface RunFilter {
  taskName?: string;
  /** Of tasks whose name is one of these, in which `*` stands for anything. */
  tasksLike?: readonly string[];
  /** Of the tasks that have these labels now. */
  labels?: LabelFilter;
  states?: readonly RunState[];
  /** As it came out of the task's template. */
  key?: string;
  /** Those that belong to the worker of this name, or that a process with this id has begun. */
  worker?: string;
  /** Where they came from. No index has them: without a key, and states other than `succeeded`, so many runs are looked through (`lookedBackTo`). */
  origins?: readonly RunOrigin[];
  /**
   * Words of the reason or the error, in letters of any case. No index has them: of each state that has a reason, so many runs are looked
   * through (`lookedBackTo`).
   */
  error?: string;
  /** For whom errors are not to be seen: the words are looked for in reasons alone. Default false. */
  reasonsOnly?: boolean;
  /** Runs scheduled for this instant or later. */
  since?: Date;
  /** Runs scheduled for before this instant. */
  until?: Date;
  /** Runs that come after the one of this id in a list: scheduled before it, or with it and of a smaller id. */
  before?: string;
  limit: number;
}

/** Conditions of a filter on a run `r`. */
export interface Conditions {
  /** All of them. */
  all: string;
  /** All but those on the task. */
  others: string;
  /** Those on when it is scheduled, and the page. */
  time: string;
  /** Of a task `t`; empty: of any. */
  task: string;
  /** The same, but no index on tasks can serve them: where another index has fewer runs than the task. */
  notByTask: string;
  /**
   * The same, but no index on times or ids can serve them either: for the runs of a phase that is asked for beside them, which are few. Who plans for
   * any values takes such bounds for narrower than they are, and would go through all runs of a week.
   */
  ofFew: string;
  /** `all` and `notByTask` without the states: for runs that are asked for by a phase that is their state. An index alone can answer these. */
  ofPhase: { all: string; notByTask: string };
  /** The parameter with the states. */
  states: string;
  values: unknown[];
}

const ALWAYS = { since: new Date(0), until: new Date('9999-12-31T00:00:00Z') };

export function conditionsOf(db: Database, filter: RunFilter): Conditions {
  const { tasksLike, labels, key, worker, origins, error, states, limit, before } = filter;
  const { since, until } = timeOf(filter);
  const values: unknown[] = [db.namespace, limit, since.toISOString(), until.toISOString()];
  const wanted = states ? `$${values.push(states)}::text[]` : '';
  const time = [
    'r.scheduled_for >= $3::timestamptz AND r.scheduled_for < $4::timestamptz',
    ...(before === undefined ? [] : [`r.id < $${values.push(before)}::uuid`]),
  ].join(' AND ');
  const more = [
    ...(key === undefined ? [] : [`r.key = $${values.push(key)}::text`]),
    ...(worker === undefined ? [] : [ofWorker(`$${values.push(worker)}::text`)]),
    ...(error === undefined ? [] : [hasWords('r', `$${values.push(escapeLike(error))}::text`, filter)]),
    ...(origins ? [`r.origin = ANY ($${values.push(origins)}::text[])`] : []),
  ];
  const bounds = ['r.namespace = $1', time, ...more].join(' AND ');
  const task = ofTasks(filter, values);
  const others = states ? `${bounds} AND r.state = ANY (${wanted})` : bounds;
  const ids = `SELECT t.id FROM task t WHERE ${task}`;
  const ofTask = labels || tasksLike ? `r.task_id = ANY (ARRAY(${ids}))` : `r.task_id = (${ids})`;
  const both = (where: string) =>
    task === ''
      ? { all: where, notByTask: where }
      : { all: `${where} AND ${ofTask}`, notByTask: `${where} AND (${ofTask}) IS TRUE` };
  const few = ['r.namespace = $1', `(${time}) IS TRUE`, ...more, ...(states ? [`r.state = ANY (${wanted})`] : [])];
  const { notByTask: ofFew } = both(few.join(' AND '));
  return { ...both(others), ofFew, ofPhase: both(bounds), others, time, task, states: wanted, values };
}

/** The conditions of a filter on a task `t`; empty: there are none. The first of the values is the namespace. */
export function ofTasks({ taskName, tasksLike, labels }: Omit<RunFilter, 'limit'>, values: unknown[]): string {
  const bounds = [
    ...(taskName === undefined ? [] : [`t.name = $${values.push(taskName)}::text`]),
    ...(tasksLike ? [`t.name LIKE ANY ($${values.push(tasksLike.map(toLike))}::text[])`] : []),
    ...(labels ? [hasLabels('t', `$${values.push(toSelectors(labels))}`)] : []),
  ];
  return bounds.length === 0 ? '' : ['t.namespace = $1', ...bounds].join(' AND ');
}

/** The time in which runs are scheduled. */
function timeOf({ since, until, before }: Pick<RunFilter, 'since' | 'until' | 'before'>): { since: Date; until: Date } {
  const last = until ?? ALWAYS.until;
  if (before === undefined) return { since: since ?? ALWAYS.since, until: last };
  const behind = nearestInstant(scheduledForOf(before).getTime() + 1);
  return { since: since ?? ALWAYS.since, until: behind < last ? behind : last };
}

/** A run with this text in its reason or error, which are read as one text, with a character between that nobody writes. `words`: a parameter of `escapeLike`. */
export function hasWords(run: string, words: string, { reasonsOnly = false }: Pick<RunFilter, 'reasonsOnly'>): string {
  const errors = reasonsOnly ? '' : `, ${run}.error->>'name', ${run}.error->>'message'`;
  return `lower(concat_ws(chr(1), ${run}.reason${errors})) LIKE (SELECT lower('%' || ${words} || '%'))`;
}

/** A run `r` that belongs to the worker of this name, or that the process of this id has begun. */
export function ofWorker(name: string): string {
  return `(${workerOf('r')} = ${name} OR r.worker = ${name})`;
}

/** Runs `r` of the time of a filter by their ids, which begin with it: the primary key has them in one piece. */
export function idsBetween(filter: Pick<RunFilter, 'since' | 'until' | 'before'>, values: unknown[]): string {
  const { since, until } = timeOf(filter);
  return `r.id >= $${values.push(firstIdAt(since))}::uuid AND r.id < $${values.push(firstIdAt(until))}::uuid`;
}

/** Below the ids of all runs that are scheduled then or later, above all others. */
export function firstIdAt(at: Date): string {
  return newRunId(at, new Uint8Array(10)).replace('-7000-8000-', '-0000-0000-');
}

export const IDS = 'SELECT r.id, r.scheduled_for FROM any_run r WHERE';
export const LATEST_FIRST = 'ORDER BY r.scheduled_for DESC, r.id DESC';
