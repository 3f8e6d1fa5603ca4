import { type Database, query } from '../database.ts';

/** When a pass of each lane of the reconciler last began; by the lane's name. */
export async function readPasses(db: Database): Promise<Map<string, Date>> {
  const rows = await query<{ name: string; passed_at: Date }>(
    db.pool,
    'read_passes',
    `SELECT name, passed_at FROM gate WHERE namespace = $1 AND name LIKE '%reconciler' ORDER BY name`,
    [db.namespace],
  );
  return new Map(rows.map((row) => [row.name, row.passed_at]));
}
