import { DAY } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { makePartition } from './make-partition.ts';
import { PARTITIONED, partitionOf } from './partition-of.ts';

/**
 * Makes the partitions of the present and of `aheadDays` to come. Returns the names of the new ones. Nobody who reads or
 * writes waits for it. Whatever falls elsewhere makes the partition it needs when it comes.
 */
export async function ensurePartitions(db: Database, now: Date, aheadDays: number): Promise<string[]> {
  const made: string[] = [];
  for (const table of PARTITIONED) {
    for (let day = 0; day <= aheadDays + table.days - 1; day += table.days) {
      const partition = partitionOf(table, new Date(now.getTime() + day * DAY));
      if (await makePartition(db.pool, table, partition)) made.push(partition.name);
    }
  }
  return made;
}

/** For how many days to come there are partitions without a gap, of the table that has the fewest. */
export async function partitionedDaysAhead(db: Database): Promise<number> {
  const [row] = await query<{ days: number }>(db.pool, 'partitioned_days_ahead', DAYS_AHEAD, [
    PARTITIONED.map(({ table }) => table),
  ]);
  return row?.days ?? 0;
}

// The end of those that follow each other without a gap from the one that holds now. The catalogue is read once for each table.
const DAYS_AHEAD = `
WITH known AS MATERIALIZED (
  SELECT t.name, p.from_at, p.to_at FROM unnest($1::text[]) AS t(name) CROSS JOIN LATERAL partitions_of(t.name) p
)
SELECT min(extract(epoch FROM coalesce(e.until, now()) - now()) / 86400)::float8 AS days
FROM unnest($1::text[]) AS t(name) CROSS JOIN LATERAL (
  SELECT min(p.to_at) AS until FROM known p
  WHERE p.name = t.name AND p.to_at > now() AND NOT EXISTS (SELECT FROM known n WHERE n.name = p.name AND n.from_at = p.to_at)
    AND EXISTS (SELECT FROM known c WHERE c.name = t.name AND (c.from_at IS NULL OR c.from_at <= now()) AND c.to_at > now())
) e`;
