import { DAY } from '@escapement/core';

export interface PartitionedTable {
  table: string;
  /** Length of a partition in days. */
  days: number;
}

/** Weeks for the ledger and its roll-ups (few partitions keep planning cheap), days for logs (they are the bulk). */
export const PARTITIONED: readonly PartitionedTable[] = [
  { table: 'run', days: 7 },
  { table: 'attempt', days: 7 },
  { table: 'task_hour', days: 7 },
  { table: 'run_log_chunk', days: 1 },
];

export interface Partition {
  name: string;
  from: Date;
  to: Date;
}

/** The partition an instant falls into. Weeks start on Thursdays, as the Unix epoch does. */
export function partitionOf(table: PartitionedTable, at: Date): Partition {
  const lengthMs = table.days * DAY;
  const from = new Date(Math.floor(at.getTime() / lengthMs) * lengthMs);
  const stamp = from.toISOString().slice(0, 10).replaceAll('-', '');
  return { name: `${table.table}_p${stamp}`, from, to: new Date(from.getTime() + lengthMs) };
}
