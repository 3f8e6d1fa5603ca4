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
