import { type RunState, scheduledForOf } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { isLive } from '../processes/is-live.ts';
import { RUN_VIEW, type RunRow, type RunView, toRunView } from './read-runs.ts';
import { conditionsOf, type RunFilter } from './run-conditions.ts';

/** Which bounds changes of runs have; as many as there are. */
export type ChangeFilter = Omit<RunFilter, 'limit'>;

/** A run that has ended. */
export interface EndedRun {
  id: string;
  state: RunState;
  attempt: number;
  finishedAt: Date;
}

/** Planned anew each time: a plan for any time would read the ledger as a whole. */
const NEVER_PREPARED = '';

/** Runs that have ended then or later, in this order: a page of them after another. */
export async function endedRuns(
  db: Database,
  filter: ChangeFilter,
  { since, after, limit }: { since: Date; after: Pick<EndedRun, 'id' | 'finishedAt'> | undefined; limit: number },
): Promise<EndedRun[]> {
  const { all, values } = conditionsOf(db, { ...filter, limit });
  const from = after?.finishedAt ?? since;
  const at = `$${values.push(from.toISOString())}::timestamptz`;
  const behind = after ? ` AND (r.finished_at, r.id) > (${at}, $${values.push(after.id)}::uuid)` : '';
  const rows = await query<EndedRow>(
    db.pool,
    NEVER_PREPARED,
    `SELECT r.id, r.state, r.attempt, r.finished_at FROM any_run r WHERE ${all} AND r.finished_at >= ${at}${behind}
     ORDER BY r.finished_at, r.id LIMIT $2`,
    values,
  );
  return rows.map(({ finished_at: finishedAt, ...row }) => ({ ...row, finishedAt }));
}

interface EndedRow {
  id: string;
  state: RunState;
  attempt: number;
  finished_at: Date;
}

/** The ids of the runs that living workers say they hold, and Postgres' time before that. */
export async function heldByWorkers(db: Database, withinMs: number): Promise<{ now: Date; ids: string[] }> {
  const [row] = await query<{ now: Date; ids: string[] }>(
    db.pool,
    'held_by_workers',
    `SELECT now()::timestamptz(3) AS now, ARRAY(SELECT DISTINCT a.id FROM process p, unnest(p.active_runs) AS a(id)
       WHERE p.namespace = $1 AND ${isLive('p', '$2')}) AS ids`,
    [db.namespace, withinMs],
  );
  if (!row) throw new Error('Postgres says no time');
  return row;
}

/** Those of the runs that meet a filter, in the order asked. */
export async function runsAmong(db: Database, filter: ChangeFilter, ids: readonly string[]): Promise<RunView[]> {
  if (ids.length === 0) return [];
  const { all, values } = conditionsOf(db, { ...filter, limit: ids.length });
  const refs = `unnest($${values.push(ids)}::uuid[], $${values.push(ids.map((id) => scheduledForOf(id).toISOString()))}::timestamptz[])`;
  const rows = await query<RunRow>(
    db.pool,
    NEVER_PREPARED,
    `SELECT ${RUN_VIEW} FROM ${refs} WITH ORDINALITY AS i(id, scheduled_for, place)
     JOIN any_run r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for JOIN task t ON t.id = r.task_id
     WHERE ${all} ORDER BY i.place LIMIT $2`,
    values,
  );
  return rows.map(toRunView);
}
