import { DAY, SECOND, systemClock } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

interface Bounds {
  name: string;
  fromMs: number;
  toMs: number;
}

interface Known {
  partitions: readonly Bounds[];
  readMs: number;
  reading: boolean;
}

/** The catalog is read again after this time, while somebody asks. */
const FRESH_MS = 5 * SECOND;
/** What was read so long ago is not used any more. */
const STALE_MS = 30 * SECOND;
/** Only partitions of about now have statements of their own: each connection keeps the plan of each statement. */
const NEAR_MS = 8 * DAY;

const known = new WeakMap<Database, Known>();

/**
 * The partition of `run` that all these runs are in, by the catalog; undefined: they are of several, or of one far from now, or
 * it is not known. Never waits: the catalog is read behind the caller's back.
 */
export function commonPartition(db: Database, runs: readonly { scheduledFor: Date }[]): string | undefined {
  const { partitions, readMs } = freshened(db);
  const [first] = runs;
  if (first === undefined || systemClock.monotonicMs() - readMs > STALE_MS) return undefined;
  const contains = (bounds: Bounds, ms: number) => ms >= bounds.fromMs && ms < bounds.toMs;
  const partition = partitions.find((each) => contains(each, first.scheduledFor.getTime()));
  return partition && isNear(partition) && runs.every((run) => contains(partition, run.scheduledFor.getTime()))
    ? partition.name
    : undefined;
}

function isNear({ fromMs, toMs }: Bounds): boolean {
  const nowMs = systemClock.now().getTime();
  return nowMs >= fromMs - NEAR_MS && nowMs < toMs + NEAR_MS;
}

function freshened(db: Database): Known {
  const found = known.get(db) ?? { partitions: [], readMs: Number.NEGATIVE_INFINITY, reading: false };
  known.set(db, found);
  if (!found.reading && systemClock.monotonicMs() - found.readMs > FRESH_MS) void read(db, found);
  return found;
}

/** Where it fails statements of all partitions go on. */
async function read(db: Database, into: Known): Promise<void> {
  into.reading = true;
  try {
    const readMs = systemClock.monotonicMs();
    const rows = await query<{ name: string; from_at: Date; to_at: Date }>(db.pool, 'run_partitions', RUN_PARTITIONS);
    into.partitions = rows.map((row) => ({ name: row.name, fromMs: row.from_at.getTime(), toMs: row.to_at.getTime() }));
    into.readMs = readMs;
  } catch {
    // It is tried again when somebody asks next.
  } finally {
    into.reading = false;
  }
}

// One that somebody made by hand may lack the rights of its table, which suffice where it is not named.
const RUN_PARTITIONS = `SELECT name, from_at, to_at FROM partitions_of('run') WHERE from_at IS NOT NULL AND to_at IS NOT NULL
  AND has_table_privilege(quote_ident(name), 'SELECT') AND has_table_privilege(quote_ident(name), 'UPDATE')`;
