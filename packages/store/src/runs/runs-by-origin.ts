import type { Database } from '../postgres/database.ts';
import { LOOKED_THROUGH, type LookedThrough, type Sql } from './looked-through.ts';
import { conditionsOf, idsBetween, LATEST_FIRST, type RunFilter } from './run-conditions.ts';

/** A key, and each state but `succeeded`, has an index that leaves few runs to look through. */
export function looksThrough({ origins, key, states }: RunFilter): boolean {
  return origins !== undefined && key === undefined && (states === undefined || states.includes('succeeded'));
}

/** The ids of runs of some origins. */
export function idsOfOrigins(db: Database, filter: RunFilter): Sql {
  const { text, values } = originsLookedThrough(db, filter);
  const meets = [
    `r.origin = ANY ($${values.push(filter.origins)}::text[])`,
    ...(filter.states ? [`r.state = ANY ($${values.push(filter.states)}::text[])`] : []),
  ].join(' AND ');
  return { text: `SELECT r.id, r.scheduled_for FROM (${text}) r WHERE ${meets} ${LATEST_FIRST} LIMIT $2`, values };
}

/** The runs in which they are looked for, as `share_of` their task or of all. Of several tasks each has its share. */
export function originsLookedThrough(db: Database, { origins: _, states: __, ...others }: RunFilter): LookedThrough {
  const { all, others: ofAny, task, values } = conditionsOf(db, others);
  const runs = (shareOf: string, where: string, limit: string | number, order = LATEST_FIRST) =>
    `SELECT r.id, r.scheduled_for, r.origin, r.state, ${shareOf} AS share_of FROM any_run r WHERE ${where} ${order} LIMIT ${limit}`;
  if (others.labels || others.tasksLike) {
    const share = `(SELECT greatest($2::bigint, ${LOOKED_THROUGH} / greatest(count(*), 1)) FROM task t WHERE ${task})`;
    const ofEach = runs('t.id', `${ofAny} AND r.task_id = t.id`, share);
    return { text: `SELECT s.* FROM task t CROSS JOIN LATERAL (${ofEach}) s WHERE ${task}`, values, share };
  }
  const share = String(LOOKED_THROUGH);
  if (others.taskName !== undefined) return { text: runs('0', all, share), values, share };
  return { text: runs('0', `${all} AND ${idsBetween(others, values)}`, share, 'ORDER BY r.id DESC'), values, share };
}
