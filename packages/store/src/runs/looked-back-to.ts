import { type Database, query } from '../postgres/database.ts';
import type { LookedThrough } from './looked-through.ts';
import type { RunFilter } from './run-conditions.ts';
import { plannedOnce } from './run-statements.ts';
import { errorsLookedThrough } from './runs-by-error.ts';
import { looksThrough, originsLookedThrough } from './runs-by-origin.ts';

/**
 * How far back a list by origin or error has looked, where it has not looked through all that meets its other bounds: with this instant as `until`
 * it goes on. Null: it has.
 */
export async function lookedBackTo(db: Database, filter: RunFilter): Promise<Date | null> {
  const looked = lookedAt(db, filter);
  if (!looked) return null;
  const { text, values, share } = looked;
  const { name, pool } = plannedOnce(`looked_back_to_${filter.error === undefined ? 'origin' : 'error'}`, filter);
  const [row] = await query<{ at: Date | null }>(
    db[pool],
    name,
    `SELECT max(cut.at) AS at FROM (
       -- Equivalent mutant (border, > 0): a limit is at least 1; the condition only names the parameter.
       SELECT min(l.scheduled_for) AS at FROM (${text}) l GROUP BY l.share_of HAVING count(*) >= ${share} AND $2::integer > 0) cut`,
    values,
  );
  return row?.at ?? null;
}

function lookedAt(db: Database, { error, ...filter }: RunFilter): LookedThrough | null {
  if (error !== undefined) return errorsLookedThrough(db, filter);
  return looksThrough(filter) ? originsLookedThrough(db, filter) : null;
}
