import { DAY, MINUTE, systemClock } from '@escapement/core';
import { type Database, PARTITIONED, partitionOf } from '@escapement/store';
import { fillLedger } from './fill-ledger.ts';

export interface WeeksOptions {
  /** Of as many tasks: `bench-0` and on. */
  tasks: number;
  weeks: number;
  /** Runs of each past week. */
  perWeek: number;
  /** Runs of the present week. Default: as of a past one. */
  present?: number;
}

export interface Week {
  from: Date;
  /** The end of its runs. */
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

/** Puts ended runs of weeks into the ledger. */
export async function fillWeeks(
  db: Database,
  { tasks, weeks, perWeek, present = perWeek }: WeeksOptions,
): Promise<void> {
  const all = weeksOf(weeks);
  const last = all.at(-1);
  const first = all[0];
  if (!first || !last) return;
  if (weeks > 1) await fillLedger(db, { from: first.from, to: last.from, count: perWeek * (weeks - 1), tasks });
  await fillLedger(db, { from: last.from, to: last.to, count: present, tasks });
}

/** A week in which each task has a leaf page of each index to itself, and a quarter of a year before it. */
export async function fillHistory(db: Database, tasks: number): Promise<void> {
  await fillWeeks(db, { tasks, weeks: 13, perWeek: 10 * tasks, present: 150 * tasks });
  await db.pool.query('VACUUM ANALYZE');
}
