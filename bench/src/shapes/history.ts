import { DAY, MINUTE, systemClock } from '@escapement/core';
import { type Database, PARTITIONED, partitionOf } from '@escapement/store';
import { fillLedger, KEYS_PER_TASK } from '../fill-ledger.ts';
import type { Link } from './shape.ts';

export interface HistoryOptions {
  tasks: number;
  weeks: number;
  /** Runs of each week. */
  perWeek: number;
}

interface Week {
  /** The first instant of the week, and the end of its runs. */
  from: Date;
  to: Date;
  ends: Date;
}

const WEEK = 7 * DAY;
/** Runs that are measured come after the history. */
const BREAK = 2 * MINUTE;

/** The weeks of a ledger, the present one last: it has all its runs in what has passed of it. */
export function weeksOf(weeks: number): Week[] {
  const [table] = PARTITIONED.filter((each) => each.table === 'run');
  if (!table) throw new Error('the ledger has no partitions');
  const now = systemClock.now();
  const present = partitionOf(table, now).from.getTime();
  return Array.from({ length: weeks }, (_, index) => {
    const fromMs = present - (weeks - 1 - index) * WEEK;
    const to = new Date(Math.min(fromMs + WEEK, now.getTime() - BREAK));
    return { from: new Date(fromMs), to, ends: new Date(fromMs + WEEK) };
  });
}

/** Fills the ledger of the product, and a table with the same runs from which the other shapes fill theirs. */
export async function makeHistory(db: Database, { tasks, weeks, perWeek }: HistoryOptions): Promise<void> {
  const all = weeksOf(weeks);
  const last = all.at(-1);
  const first = all[0];
  if (!first || !last) return;
  if (weeks > 1) await fillLedger(db, { from: first.from, to: last.from, count: perWeek * (weeks - 1), tasks });
  await fillLedger(db, { from: last.from, to: last.to, count: perWeek, tasks });
  await db.pool.query(`CREATE UNLOGGED TABLE shape_history AS
    SELECT r.id, r.task_id, r.scheduled_for AS at, r.key, r.namespace, r.pool FROM run r ORDER BY r.id`);
  await db.pool.query('VACUUM ANALYZE');
}

/** The keys that the filled ledger has runs of. */
export const keyOf = (task: string, number: number): string => `${task}:${number % KEYS_PER_TASK}`;

/** Gives a table of the shapes a partition for each week. */
export async function makeWeeks(link: Link, table: string, weeks: number): Promise<void> {
  for (const [index, { from, ends }] of weeksOf(weeks).entries())
    await link.query(
      `CREATE TABLE ${table}_${index} PARTITION OF ${table} FOR VALUES FROM ('${from.toISOString()}') TO ('${ends.toISOString()}')`,
    );
}
