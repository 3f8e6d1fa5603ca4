import { type Database, query } from '../postgres/database.ts';
import { ofEachGoingOn } from '../runs/admission.ts';

/** The names of all pools: written down, named by a task or an open run, or served by a process that has signed on. In order. */
export async function poolNames(db: Database): Promise<string[]> {
  const rows = await query<{ name: string }>(db.pool, 'pool_names', POOL_NAMES, [db.namespace]);
  return rows.map(({ name }) => name);
}

const POOL_NAMES = `
SELECT name FROM pool WHERE namespace = $1
UNION SELECT t.pool FROM task t WHERE t.namespace = $1 AND t.deleted_at IS NULL
UNION SELECT o.pool FROM (${ofEachGoingOn((isOfPhase) => `SELECT r.pool FROM run r WHERE r.namespace = $1 AND ${isOfPhase}`)}) o
UNION SELECT unnest(p.pools) FROM process p WHERE p.namespace = $1 AND p.role = 'worker'
ORDER BY name`;
