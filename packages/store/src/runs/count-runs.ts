import type { RunState } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { ofEachGoingOn } from './admission.ts';
import { conditionsOf, type RunFilter } from './run-conditions.ts';
import { isGoingOn, ofRareState, plannedOnce, statementFor } from './run-statements.ts';

/** Which runs are counted, of each state at most so many. */
export type CountFilter = Omit<RunFilter, 'states' | 'before'>;

type Counts = (readonly [RunState, number])[];

/** How many runs meet a filter, by state; at most its limit of each. */
export async function countRuns(
  db: Database,
  filter: CountFilter,
  states: readonly RunState[],
): Promise<ReadonlyMap<RunState, number>> {
  const isPlain = filter.error === undefined && filter.key === undefined && filter.origins === undefined;
  const goingOn = isPlain ? states.filter(isGoingOn) : [];
  const rare = isPlain ? states.filter((state) => !isGoingOn(state) && state !== 'succeeded') : [];
  const others = states.filter((state) => !goingOn.includes(state) && !rare.includes(state));
  const counts = await Promise.all([
    countRare(db, filter, rare),
    countGoingOn(db, filter, goingOn),
    countEach(db, filter, others),
  ]);
  return new Map(counts.flat());
}

/** Each state by a statement of its own. */
async function countEach(db: Database, filter: CountFilter, states: readonly RunState[]): Promise<Counts> {
  const countOf = (ids: string) =>
    `SELECT count(*)::integer AS count FROM (SELECT FROM (${ids}) found LIMIT $2) counted`;
  return await Promise.all(
    states.map(async (state) => {
      const wanted = { rows: countOf, prefix: 'count' };
      const { name, text, values, pool } = statementFor(db, { ...filter, states: [state] }, wanted);
      const [row] = await query<{ count: number }>(db[pool], name, text, values);
      return [state, row?.count ?? 0] as const;
    }),
  );
}

type Row = { state: RunState; count: number };

/** States that are a phase each: all by one statement. */
async function countRare(db: Database, filter: CountFilter, states: readonly RunState[]): Promise<Counts> {
  if (states.length === 0) return [];
  const { ofPhase, states: wanted, values } = conditionsOf(db, { ...filter, states });
  const text = `SELECT w.state, (SELECT count(*)::integer FROM (${ofRareState(ofPhase.all)}) c) AS count FROM unnest(${wanted}) AS w(state)`;
  return (await countsBy(db, filter, { way: 'phase', text, values })).map(
    ({ state, count }) => [state, count] as const,
  );
}

/** What is going on is little, and is gone through once for all its states; where it is not, once for each. */
async function countGoingOn(db: Database, filter: CountFilter, states: readonly RunState[]): Promise<Counts> {
  if (states.length === 0) return [];
  const most = filter.limit * states.length;
  const { ofFew, values } = conditionsOf(db, { ...filter, states });
  const runs = ofEachGoingOn((isOfPhase) => `SELECT r.state FROM run r WHERE ${ofFew} AND ${isOfPhase}`);
  const text = `SELECT g.state, count(*)::integer AS count FROM (${runs} LIMIT $2::bigint * ${states.length}) g GROUP BY g.state`;
  const rows = await countsBy(db, filter, { way: `phases_${states.length}`, text, values });
  if (rows.reduce((sum, { count }) => sum + count, 0) >= most) return await countEach(db, filter, states);
  return rows.map(({ state, count }) => [state, Math.min(count, filter.limit)] as const);
}

async function countsBy(
  db: Database,
  filter: CountFilter,
  { way, text, values }: { way: string; text: string; values: readonly unknown[] },
): Promise<Row[]> {
  const { name, pool } = plannedOnce(`count_runs_of_${way}`, filter);
  return await query<Row>(db[pool], name, text, values);
}
