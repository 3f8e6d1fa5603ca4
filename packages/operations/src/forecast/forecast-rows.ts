import { type Database, hourlyOutcomes, targetTasks } from '@escapement/store';
import type { RowAhead, RowsAhead } from './rows-ahead.ts';

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

export interface WithPast {
  /** Where the pieces before now begin. */
  past: readonly Date[];
  now: Date;
}

const MOST_TASKS = 20;

/** Beside what will be, what was. */
export async function withPast(db: Database, { rows: shown }: RowsAhead, of: WithPast): Promise<ForecastRow[]> {
  const targets = await targetTasks(
    db,
    shown.flatMap(({ names }) => names),
  );
  const idsOf = ({ names }: RowAhead) => names.flatMap((name) => targets.get(name)?.id ?? []);
  const past = await pastBy(db, of, shown.flatMap(idsOf));
  return shown.map((row) => ({
    name: row.name,
    tasks: row.names.slice(0, MOST_TASKS).flatMap((name) => {
      const target = targets.get(name);
      return target ? [{ id: target.id, name }] : [];
    }),
    past: together(idsOf(row), past, of.past.length),
    ahead: row.starts && [...row.starts],
    p50Ms: row.p50Ms,
  }));
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

async function pastBy(db: Database, { past, now }: WithPast, taskIds: readonly string[]) {
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
