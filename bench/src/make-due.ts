import { systemClock } from '@escapement/core';
import type { Database } from '@escapement/store';
import type { Meter, Reading } from './meter.ts';

export interface Begun {
  /** Read when all was prepared. */
  from: Reading;
  /** When schedulers could see it, by the wall clock. */
  startedMs: number;
}

/**
 * Makes tasks due at once, those for which the condition holds. What that costs is not measured: in life, time does it.
 */
export async function makeDue(
  db: Database,
  meter: Meter,
  condition: string,
  values: readonly number[],
): Promise<Begun> {
  const link = await db.pool.connect();
  try {
    await link.query('BEGIN');
    await link.query(
      `UPDATE task_plan SET plan_seq = plan_seq + 1, next_run_at = date_trunc('milliseconds', now())
       WHERE task_id IN (SELECT id FROM task WHERE ${condition})`,
      [...values],
    );
    await link.query(`SELECT pg_notify('escapement_wake', $1)`, [db.namespace]);
    const from = await meter.start();
    const startedMs = systemClock.now().getTime();
    await link.query('COMMIT');
    return { from, startedMs };
  } finally {
    link.release();
  }
}
