import { type Database, query } from '../database.ts';
import { conditionsOf, idsBetween, LATEST_FIRST, type RunFilter } from './run-conditions.ts';
import { errorsLookedThrough } from './runs-by-error.ts';

/**
 * An index by origin would be one entry more for each run. So this many runs that meet the other bounds are looked through, the latest
 * first; of several tasks each has its share.
 */
const LOOKED_THROUGH = 20_000;

/** A key, and each state but `succeeded`, has an index that leaves few runs to look through. */
export function looksThrough({ origins, key, states }: RunFilter): boolean {
  return origins !== undefined && key === undefined && (states === undefined || states.includes('succeeded'));
}

/** Runs `l` with a `share_of`: of each share at most so many. */
export interface LookedThrough extends Sql {
  share: string;
}

export interface Sql {
  text: string;
  values: unknown[];
}

/** The ids of runs of some origins. */
export function idsOfOrigins(db: Database, filter: RunFilter): Sql {
  const { text, values } = lookedThrough(db, filter);
  const meets = [
    `r.origin = ANY ($${values.push(filter.origins)}::text[])`,
    ...(filter.states ? [`r.state = ANY ($${values.push(filter.states)}::text[])`] : []),
  ].join(' AND ');
  return { text: `SELECT r.id, r.scheduled_for FROM (${text}) r WHERE ${meets} ${LATEST_FIRST} LIMIT $2`, values };
}

/**
 * How far back a list by origin or error has looked, where it has not looked through all that meets its other bounds: with this instant as `until`
 * it goes on. Null: it has.
 */
export async function lookedBackTo(db: Database, filter: RunFilter): Promise<Date | null> {
  const looked = lookedAt(db, filter);
  if (!looked) return null;
  const { text, values, share } = looked;
  const [row] = await query<{ at: Date | null }>(
    db.pool,
    '',
    `SELECT max(cut.at) AS at FROM (
       SELECT min(l.scheduled_for) AS at FROM (${text}) l GROUP BY l.share_of HAVING count(*) >= ${share} AND $2::integer > 0) cut`,
    values,
  );
  return row?.at ?? null;
}

function lookedAt(db: Database, { error, ...filter }: RunFilter): LookedThrough | null {
  if (error !== undefined) return errorsLookedThrough(db, filter);
  return looksThrough(filter) ? lookedThrough(db, filter) : null;
}

/** The runs to look through, as `share_of` some task or of all, each of which has `share`. */
function lookedThrough(db: Database, { origins: _, states: __, ...others }: RunFilter): LookedThrough {
  const { all, others: ofAny, task, values } = conditionsOf(db, others);
  const runs = (shareOf: string, where: string, limit: string | number, order = LATEST_FIRST) =>
    `SELECT r.id, r.scheduled_for, r.origin, r.state, ${shareOf} AS share_of FROM run r WHERE ${where} ${order} LIMIT ${limit}`;
  if (others.labels || others.tasksLike) {
    const share = `(SELECT greatest($2::bigint, ${LOOKED_THROUGH} / greatest(count(*), 1)) FROM task t WHERE ${task})`;
    const ofEach = runs('t.id', `${ofAny} AND r.task_id = t.id`, share);
    return { text: `SELECT s.* FROM task t CROSS JOIN LATERAL (${ofEach}) s WHERE ${task}`, values, share };
  }
  const share = String(LOOKED_THROUGH);
  if (others.taskName !== undefined) return { text: runs('0', all, share), values, share };
  return { text: runs('0', `${all} AND ${idsBetween(others, values)}`, share, 'ORDER BY r.id DESC'), values, share };
}
