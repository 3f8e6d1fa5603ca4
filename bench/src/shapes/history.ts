import type { Database } from '@escapement/store';
import { KEYS_PER_TASK } from '../fill-ledger.ts';
import { fillWeeks, type WeeksOptions, weeksOf } from '../fill-weeks.ts';
import type { Link } from './shape.ts';

/** Fills the ledger of the product, and a table with the same runs from which the other shapes fill theirs. */
export async function makeHistory(db: Database, options: WeeksOptions): Promise<void> {
  await fillWeeks(db, options);
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
