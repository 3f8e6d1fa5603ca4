import { type Database, query } from '../postgres/database.ts';

/** A partition that lacked rights of its table. */
export interface GrantedPartition {
  name: string;
  /** False: it belongs to somebody else, who alone can give them. */
  granted: boolean;
}

/** Gives partitions that somebody made by hand the rights of their table; returns which there were. For a scheduler. */
export async function grantPartitions(db: Database): Promise<GrantedPartition[]> {
  return await query<{ name: string; granted: boolean }>(
    db.pool,
    'grant_partitions',
    'SELECT name, granted FROM grant_partitions()',
  );
}

/** Partitions that lack rights of their table. */
export async function partitionsWithoutRights(db: Database): Promise<string[]> {
  const rows = await query<{ name: string }>(
    db.pool,
    'partitions_without_rights',
    'SELECT name FROM partitions_without_rights()',
  );
  return rows.map(({ name }) => name);
}
