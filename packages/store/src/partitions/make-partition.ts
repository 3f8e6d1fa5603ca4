import pg, { type Pool } from 'pg';
import { PARTITIONED, type Partition, type PartitionedTable, partitionOf } from './partition-of.ts';

/**
 * Makes a partition, unless it is there, or its range lies before the oldest week. Nobody who reads or writes waits for it.
 * True: it was made now.
 */
export async function makePartition(pool: Pool, { table }: PartitionedTable, partition: Partition): Promise<boolean> {
  const { rows } = await pool.query<{ made: boolean }>({
    name: 'make_partition',
    text: 'SELECT make_partition($1, $2) AS made',
    values: [table, partition.from.toISOString()],
  });
  return rows[0]?.made ?? false;
}

/** The partition that a row had to go to, and that is not there. */
export interface MissingPartition {
  table: PartitionedTable;
  partition: Partition;
}

const CHECK_VIOLATION = '23514';
/** `(scheduled_for) = (2026-11-19 00:00:00+00)`; the words around it are in the server's language. Sessions are in UTC. */
const KEY = /\((?:scheduled_for|hour|written_at)\) = \((\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)\+00\)/;

/** Which partition an insert failed for want of; undefined: that is not why it failed. */
export function missingPartition(error: unknown): MissingPartition | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== CHECK_VIOLATION) return undefined;
  const table = PARTITIONED.find((each) => each.table === error.table);
  const key = KEY.exec(error.detail ?? '');
  if (!table || !key) return undefined;
  return { table, partition: partitionOf(table, new Date(`${key[1]}T${key[2]}Z`)) };
}
