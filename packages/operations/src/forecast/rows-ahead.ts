import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ForecastTask, runsAhead } from '@escapement/core/forecast';
import type { Database, ForecastFilter } from '@escapement/store';
import { requirePool } from '../pools.ts';
import { readForecastTasks } from './read-forecast.ts';

export interface RowsAsked extends ForecastFilter {
  by: 'task' | 'key';
  /** Only of tasks whose runs have this key. */
  key?: string | undefined;
  /** Where the pieces from now on begin: the first one is now. */
  ahead: readonly Date[];
  to: Date;
}

/** A task, or all of a key, and what its schedules will start. */
export interface RowAhead {
  /** Of the task, or the key. */
  name: string;
  /** Of its tasks. */
  names: string[];
  /** Starts in each piece; null: there are too many to be counted. */
  starts: Uint32Array | null;
  /** How long half of its runs take at most; null: it is not known. Of a key: of its task that takes longest. */
  p50Ms: number | null;
  workMs: number;
}

export interface RowsAhead {
  rows: RowAhead[];
  /** So many more have starts ahead. */
  left: number;
}

/** The rows with most at work ahead. */
const MOST_ROWS = 40;
/** Starts of a task that are counted. */
const MOST_STARTS = 50_000;
/** Between two pauses: some ten milliseconds. A task with the schedule of another one costs next to nothing, one that is due each minute for a month most. */
const PAUSE_AFTER = 2000;
const COST_OF_SCHEDULE = 100;
const UNKNOWN_MS = 1000;

/** What the schedules of tasks will start, by task or key. Throws `unknown_pool`, `unknown_key`. */
export async function rowsAhead(db: Database, { by, ahead, to, ...filter }: RowsAsked): Promise<RowsAhead> {
  if (filter.pool !== undefined) await requirePool(db, filter.pool);
  const { tasks } = await readForecastTasks(db, filter);
  const rows = new Map<string, RowAhead>();
  const countOf = startsIn(ahead);
  let cost = 0;
  for (const { task, at } of runsAhead(tasks, { from: ahead[0] ?? to, to }, MOST_STARTS)) {
    const name = by === 'task' ? task.name : task.key;
    const counted = at instanceof Float64Array ? countOf(at, task.each) : null;
    if (at === 'too many') add(rows, name, { task, starts: null, runs: MOST_STARTS });
    else if (counted && counted.runs > 0) add(rows, name, { task, ...counted });
    cost += counted?.isShared ? 1 : COST_OF_SCHEDULE;
    if (cost < PAUSE_AFTER) continue;
    cost = 0;
    await nextTurn();
  }
  const shown = mostAtWork(rows.values());
  return { rows: shown, left: rows.size - shown.length };
}

interface Starts {
  starts: Uint32Array | null;
  runs: number;
}

/** Counts in each piece the instants, which are in order; each so often. Tasks of the same schedule share theirs, which are gone through once. */
function startsIn(begins: readonly Date[]): (at: Float64Array, each: number) => Starts & { isShared: boolean } {
  const edges = begins.map((begin) => begin.getTime());
  const known = new WeakMap<Float64Array, Uint32Array>();
  const count = (at: Float64Array): Uint32Array => {
    const starts = new Uint32Array(edges.length);
    let piece = 0;
    for (const start of at) {
      while ((edges[piece + 1] ?? Number.POSITIVE_INFINITY) <= start) piece += 1;
      starts[piece] = (starts[piece] ?? 0) + 1;
    }
    return starts;
  };
  return (at, each) => {
    const found = known.get(at);
    const starts = found ?? count(at);
    known.set(at, starts);
    return {
      starts: each === 1 ? starts : starts.map((of) => of * each),
      runs: at.length * each,
      isShared: found !== undefined,
    };
  };
}

/** What cannot be counted makes the sum one that cannot. */
function add(rows: Map<string, RowAhead>, name: string, { task, starts, runs }: Starts & { task: ForecastTask }): void {
  const p50Ms = task.took?.p50Ms ?? null;
  const workMs = runs * (p50Ms ?? UNKNOWN_MS);
  const row = rows.get(name);
  if (!row) {
    rows.set(name, { name, names: [task.name], starts, p50Ms, workMs });
    return;
  }
  row.names.push(task.name);
  row.starts = row.starts && starts && row.starts.map((each, index) => each + (starts[index] ?? 0));
  row.p50Ms = p50Ms === null ? row.p50Ms : Math.max(p50Ms, row.p50Ms ?? 0);
  row.workMs += workMs;
}

/** Not by sorting all: they may be a hundred thousand. */
function mostAtWork(rows: Iterable<RowAhead>): RowAhead[] {
  const most: RowAhead[] = [];
  for (const row of rows) {
    if (most.length === MOST_ROWS && row.workMs <= (most.at(-1)?.workMs ?? 0)) continue;
    const place = most.findLastIndex(({ workMs }) => workMs >= row.workMs) + 1;
    most.splice(place, 0, row);
    if (most.length > MOST_ROWS) most.pop();
  }
  return most;
}
