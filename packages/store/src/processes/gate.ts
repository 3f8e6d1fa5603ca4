import { type Database, query } from '../database.ts';

/** True for one replica in each interval: the one that moved the gate's time. */
export async function passGate(db: Database, name: string, everyMs: number): Promise<boolean> {
  const rows = await query(
    db.hot,
    'pass_gate',
    `INSERT INTO gate AS g (namespace, name, passed_at) VALUES ($1, $2, now())
     ON CONFLICT (namespace, name) DO UPDATE SET passed_at = now()
     WHERE g.passed_at <= now() - $3 * interval '1 ms'
     RETURNING 1 AS passed`,
    [db.namespace, name, everyMs],
  );
  return rows.length > 0;
}
