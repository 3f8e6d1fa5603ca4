import { type Database, query } from '../postgres/database.ts';

/** When a pass of each lane of the reconciler last began; by the lane's name. */
export async function readPasses(db: Database): Promise<Map<string, Date>> {
  const rows = await query<{ name: string; taken_at: Date }>(
    db.pool,
    'read_passes',
    `SELECT name, taken_at FROM cluster_lock WHERE namespace = $1 AND name LIKE '%reconciler' ORDER BY name`,
    [db.namespace],
  );
  return new Map(rows.map((row) => [row.name, row.taken_at]));
}
