import { type Database, query } from '../postgres/database.ts';

/**
 * `rolled`: there may be more to do. `waiting`: a transaction from before the end of the hour is still open. `done`: until the next hour is
 * over. `busy`: somebody else rolls up.
 */
export type RollUpAnswer = 'rolled' | 'waiting' | 'done' | 'busy';

/** Rolls up the next hour that is over, for so many tasks. Begins with that of the first task, where nothing was rolled up before. */
export async function rollUpHours(db: Database, limit: number): Promise<RollUpAnswer> {
  const [row] = await query<{ answer: RollUpAnswer }>(
    db.pool,
    'roll_up_hours',
    'SELECT roll_up_hours($1, $2) AS answer',
    [db.namespace, limit],
  );
  return row?.answer ?? 'busy';
}

/** Rolls up anew the hours of which runs have ended late, at most so many. Returns how many notes of late ends are done. */
export async function rollUpStale(db: Database, limit: number): Promise<number> {
  const [row] = await query<{ notes: number | null }>(
    db.pool,
    'roll_up_stale',
    'SELECT roll_up_stale($1, $2) AS notes',
    [db.namespace, limit],
  );
  return row?.notes ?? 0;
}
