import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ForecastTask, runsAhead } from '@escapement/core';
import { type Database, type ForecastFilter, hourlyOutcomes, targetTasks } from '@escapement/store';
import { requirePool } from '../pools.ts';
import { readForecastTasks } from './read-forecast.ts';

/** What became of runs that were due in a piece of the past. */
export interface PastPiece {
  succeeded: number;
  failed: number;
  missed: number;
  notRun: number;
}

/** A task, or a key with all its tasks: what was, beside what will be. */
export interface ForecastRow {
  /** Of the task, or the key. */
  name: string;
  /** The tasks, by id and name; more than 20 are left out. */
  tasks: { id: string; name: string }[];
  past: PastPiece[];
  /** Starts in each piece ahead; null: there are too many to be counted. */
  ahead: number[] | null;
  /** How long half of its runs take at most; null: it is not known. Of a key: of its task that takes longest. */
  p50Ms: number | null;
}

export interface RowsAsked extends ForecastFilter {
  by: 'task' | 'key';
  /** Where the pieces before now begin, and those from now on. */
  past: readonly Date[];
  ahead: readonly Date[];
  now: Date;
  to: Date;
}

/** The rows with most at work ahead. */
const MOST_ROWS = 40;
const MOST_TASKS = 20;
/** Starts of a task that are counted. */
const MOST_STARTS = 50_000;
/** Tasks between two pauses: some ten milliseconds of those that are due each minute for a month. */
const PAGE = 20;
const UNKNOWN_MS = 1000;

interface Group {
  name: string;
  names: string[];
  starts: Uint32Array | null;
  p50Ms: number | null;
  workMs: number;
}

/** What tasks or keys have done, and what their schedules will start. `left`: so many more have starts ahead. Throws `unknown_pool`. */
export async function forecastRows(db: Database, asked: RowsAsked): Promise<{ rows: ForecastRow[]; left: number }> {
  if (asked.pool !== undefined) await requirePool(db, asked.pool);
  const groups = await groupsAhead(db, asked);
  const shown = groups.toSorted((one, other) => other.workMs - one.workMs).slice(0, MOST_ROWS);
  const targets = await targetTasks(
    db,
    shown.flatMap(({ names }) => names),
  );
  const idsOf = ({ names }: Group) => names.flatMap((name) => targets.get(name)?.id ?? []);
  const past = await pastBy(db, asked, shown.flatMap(idsOf));
  const rows = shown.map((group) => ({
    name: group.name,
    tasks: group.names.slice(0, MOST_TASKS).flatMap((name) => {
      const target = targets.get(name);
      return target ? [{ id: target.id, name }] : [];
    }),
    past: together(idsOf(group), past, asked.past.length),
    ahead: group.starts && [...group.starts],
    p50Ms: group.p50Ms,
  }));
  return { rows, left: groups.length - shown.length };
}

async function groupsAhead(db: Database, { by, ahead, now, to, pool, labels }: RowsAsked): Promise<Group[]> {
  const { tasks } = await readForecastTasks(db, { pool, labels });
  const groups = new Map<string, Group>();
  const startsOf = startsIn(ahead);
  let count = 0;
  for (const { task, at } of runsAhead(tasks, { from: now, to }, MOST_STARTS)) {
    if (at === 'too many') add(groups, by, task, null);
    else if (at !== 'untimed' && at.length > 0) add(groups, by, task, startsOf(at, task.each));
    if (++count % PAGE === 0) await nextTurn();
  }
  return [...groups.values()];
}

/** Counts in each piece the instants, which are in order; each so often. Tasks of the same schedule share theirs, which are gone through once. */
function startsIn(begins: readonly Date[]): (at: Float64Array, each: number) => Uint32Array {
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
    const starts = known.get(at) ?? count(at);
    known.set(at, starts);
    return each === 1 ? starts : starts.map((of) => of * each);
  };
}

function add(groups: Map<string, Group>, by: 'task' | 'key', task: ForecastTask, starts: Uint32Array | null): void {
  const name = by === 'task' ? task.name : task.key;
  const group = groups.get(name) ?? {
    name,
    names: [],
    starts: new Uint32Array(starts?.length ?? 0),
    p50Ms: null,
    workMs: 0,
  };
  const p50Ms = task.took?.p50Ms ?? null;
  const runs = starts?.reduce((sum, each) => sum + each, 0) ?? MOST_STARTS;
  groups.set(name, {
    name,
    names: [...group.names, task.name],
    starts: added(group.starts, starts),
    p50Ms: p50Ms === null ? group.p50Ms : Math.max(p50Ms, group.p50Ms ?? 0),
    workMs: group.workMs + runs * (p50Ms ?? UNKNOWN_MS),
  });
}

/** What cannot be counted makes the sum one that cannot. */
function added(one: Uint32Array | null, other: Uint32Array | null): Uint32Array | null {
  if (one === null || other === null) return null;
  return other.map((each, index) => each + (one[index] ?? 0));
}

/** In which of pieces that follow each other an instant is, by where they begin. */
function placeIn(begins: readonly Date[]): (atMs: number) => number {
  const from = begins.map((each) => each.getTime());
  return (atMs) =>
    Math.max(
      0,
      from.findLastIndex((each) => each <= atMs),
    );
}

const NONE: PastPiece = { succeeded: 0, failed: 0, missed: 0, notRun: 0 };

async function pastBy(db: Database, { past, now }: RowsAsked, taskIds: readonly string[]) {
  const found = new Map<string, PastPiece[]>();
  const [from = now] = past;
  const pieceOf = placeIn(past);
  for (const { taskId, hour, ...counts } of await hourlyOutcomes(db, { taskIds, from, to: now })) {
    const pieces = found.get(taskId) ?? past.map(() => NONE);
    found.set(taskId, pieces);
    const place = pieceOf(hour.getTime());
    pieces[place] = sum(pieces[place] ?? NONE, counts);
  }
  return found;
}

function together(ids: readonly string[], past: ReadonlyMap<string, PastPiece[]>, length: number): PastPiece[] {
  const none = Array.from({ length }, () => NONE);
  return ids.reduce((pieces, id) => {
    const own = past.get(id);
    return own ? pieces.map((piece, place) => sum(piece, own[place] ?? NONE)) : pieces;
  }, none);
}

function sum(one: PastPiece, other: PastPiece): PastPiece {
  return {
    succeeded: one.succeeded + other.succeeded,
    failed: one.failed + other.failed,
    missed: one.missed + other.missed,
    notRun: one.notRun + other.notRun,
  };
}
