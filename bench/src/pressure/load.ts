import { SECOND, systemClock } from '@escapement/core';
import { type Database, WAKE_CHANNEL } from '@escapement/store';
import { insertTasks, NEVER } from '../insert-tasks.ts';
import { YEARLY } from '../rounds.ts';
import { PERIOD_MS } from './fleet.ts';

/** Tasks become due no sooner than this: so the whole fleet hears of them in time. */
const NOTICE_MS = 4 * SECOND;
/** As `insertTasks` names them, and as the history of the ledger expects. */
const STEADY = 'bench';
const MORE = 'more';

/** Inserts the tasks of the steady load, none of them due yet. Returns how many there are. */
export async function insertSteady(db: Database, rate: number): Promise<number> {
  const count = (rate * PERIOD_MS) / SECOND;
  await insertTasks(db, count, (index) => {
    const phaseMs = Math.floor((index * SECOND) / rate);
    return { spec: { kind: 'every', everyMs: PERIOD_MS, phaseMs }, nextRunAt: NEVER };
  });
  return count;
}

/** Begins the steady load, and returns the instant of its first run. */
export async function beginSteady(db: Database, rate: number): Promise<number> {
  const firstMs = Math.ceil((systemClock.now().getTime() + NOTICE_MS) / PERIOD_MS) * PERIOD_MS;
  await makeDue(db, STEADY, firstMs, rate);
  return firstMs;
}

/** How many runs are due in a phase beside the steady load. */
export function moreRuns({ rate, times, seconds }: { rate: number; times: number; seconds: number }): number {
  return Math.round(rate * (times - 1) * seconds);
}

const prefixOf = (phase: string) => `${MORE}_${phase}`;

/** Inserts the tasks of a phase that has more than the steady load. None is due again within a year, so delayed jobs carry them. */
export async function insertMore(db: Database, phase: string, count: number): Promise<void> {
  await insertTasks(db, count, () => ({ spec: YEARLY, nextRunAt: NEVER }), { prefix: prefixOf(phase) });
}

/** Makes these tasks due, evenly spread from an instant on. */
export function makeMoreDue(db: Database, phase: string, fromMs: number, perSecond: number): Promise<void> {
  return makeDue(db, prefixOf(phase), fromMs, perSecond);
}

async function makeDue(db: Database, prefix: string, firstMs: number, perSecond: number): Promise<void> {
  await db.pool.query(
    `UPDATE task_plan p SET plan_seq = plan_seq + 1,
       next_run_at = $1::timestamptz + floor(split_part(t.name, '-', 2)::int * $2::float8) * interval '1 ms'
     FROM task t WHERE t.id = p.task_id AND split_part(t.name, '-', 1) = $3`,
    [new Date(firstMs).toISOString(), SECOND / perSecond, prefix],
  );
  await db.pool.query('SELECT pg_notify($1, $2)', [WAKE_CHANNEL, db.namespace]);
}
