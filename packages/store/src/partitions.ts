import { DAY } from '@escapement/core';
import { type Database, query } from './database.ts';

interface PartitionedTable {
  table: string;
  column: string;
  /** Length of a partition in days. */
  days: number;
}

/** Weeks for the ledger (few partitions keep planning cheap), days for logs (they are the bulk). */
export const PARTITIONED: readonly PartitionedTable[] = [
  { table: 'run', column: 'scheduled_for', days: 7 },
  { table: 'attempt', column: 'scheduled_for', days: 7 },
  { table: 'run_log_chunk', column: 'written_at', days: 1 },
];

export interface Partition {
  name: string;
  from: Date;
  to: Date;
}

/** The partition an instant falls into. Weeks start on Thursdays, as the Unix epoch does. */
function partitionOf(table: PartitionedTable, at: Date): Partition {
  const lengthMs = table.days * DAY;
  const from = new Date(Math.floor(at.getTime() / lengthMs) * lengthMs);
  const stamp = from.toISOString().slice(0, 10).replaceAll('-', '');
  return { name: `${table.table}_p${stamp}`, from, to: new Date(from.getTime() + lengthMs) };
}

/** Makes the partitions of the present and of `aheadDays` to come. Returns the names of the new ones. */
export async function ensurePartitions(db: Database, now: Date, aheadDays: number): Promise<string[]> {
  const made: string[] = [];
  for (const table of PARTITIONED) {
    for (let day = 0; day <= aheadDays + table.days - 1; day += table.days) {
      const partition = partitionOf(table, new Date(now.getTime() + day * DAY));
      const [row] = await query<{ made: boolean }>(
        db.pool,
        'ensure_partition',
        'SELECT ensure_partition($1, $2, $3, $4, $5) AS made',
        [table.table, table.column, partition.name, partition.from.toISOString(), partition.to.toISOString()],
      );
      if (row?.made) made.push(partition.name);
    }
  }
  return made;
}

/**
 * The first and the last of these instants. Given to a statement beside the instants themselves they keep Postgres from
 * preparing to look into partitions that none of them falls into, which costs more than the look-ups. Only for statements
 * that lock and change nothing: where a row was changed meanwhile, PostgreSQL 18.4 writes beyond its memory when it looks
 * again under a plan whose partitions were ruled out at its start, and crashes a moment later (seen with begin_runs).
 */
export function spanOf(rows: readonly { scheduledFor: Date }[]): [string, string] {
  const times = rows.map(({ scheduledFor }) => scheduledFor.getTime());
  return [new Date(Math.min(...times)).toISOString(), new Date(Math.max(...times)).toISOString()];
}
