import { type Database, query } from '../postgres/database.ts';
import { isLive } from './is-live.ts';

/** Which secrets the living workers of a pool give to which tasks: `ESCAPEMENT_SECRETS` of each. None: nobody lives who could say. */
export async function secretRulesOfPool(db: Database, pool: string, options: { deadMs: number }): Promise<string[]> {
  const rows = await query<{ rules: string }>(
    db.pool,
    'secret_rules_of_pool',
    `SELECT DISTINCT secret_rules AS rules FROM process p
     WHERE namespace = $1 AND role = 'worker' AND $2 = ANY (pools) AND secret_rules IS NOT NULL AND ${isLive('p', '$3')}`,
    [db.namespace, pool, options.deadMs],
  );
  return rows.map(({ rules }) => rules);
}
