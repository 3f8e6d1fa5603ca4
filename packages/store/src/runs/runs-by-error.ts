import type { RunState } from '@escapement/core';
import type { Database } from '../postgres/database.ts';
import { escapeLike } from '../postgres/like.ts';
import { LOOKED_THROUGH, type LookedThrough, type Sql } from './looked-through.ts';
import { conditionsOf, hasWords, LATEST_FIRST, type RunFilter } from './run-conditions.ts';

/** States that have a reason or an error, and an index of their own each; and one that has not. */
const ENDED: readonly RunState[] = [
  ...(['failed', 'timed_out', 'quarantined', 'unknown'] as const),
  ...(['cancelled', 'skipped', 'missed', 'superseded', 'held'] as const),
];
const RETRYING: RunState = 'retrying';

/** The ids of runs with these words in their reason or error. */
export function idsOfErrors(db: Database, filter: RunFilter & { error: string }): Sql {
  const { values, found } = looked(db, filter);
  const words = `$${values.push(escapeLike(filter.error))}::text`;
  // Of each state as many as are wanted: it goes through the runs in order, and ends where it has them.
  const ofShare = (runs: string) =>
    `(SELECT l.id, l.scheduled_for FROM ${runs} l WHERE ${hasWords('l', words, filter)} ORDER BY l.scheduled_for DESC, l.id DESC LIMIT $2)`;
  return { text: found(ofShare), values };
}

/** The runs in which they are looked for, as `share_of` their state, each of which has `share`. */
export function errorsLookedThrough(db: Database, filter: RunFilter): LookedThrough {
  const { values, found } = looked(db, filter);
  return { text: found((runs) => runs), values, share: String(LOOKED_THROUGH) };
}

interface Looked {
  /** The statement, of what is made of the runs of a state, which are in order. */
  found: (ofShare: (runs: string) => string) => string;
  values: unknown[];
}

function looked(db: Database, { error: _, ...filter }: RunFilter): Looked {
  const isWanted = (state: RunState) => filter.states?.includes(state) ?? true;
  const { ofPhase, states, values } = conditionsOf(db, { ...filter, states: [...ENDED, RETRYING].filter(isWanted) });
  const runs = (state: string, where: string) =>
    `(SELECT r.id, r.scheduled_for, r.reason, r.error, ${state} AS share_of FROM any_run r WHERE ${ofPhase.notByTask} AND ${where} ${LATEST_FIRST} LIMIT ${LOOKED_THROUGH})`;
  // The states stand in the text, so that Postgres knows which index has them.
  const ended = runs('w.state', `r.phase = w.state AND r.phase IN (${ENDED.map((state) => `'${state}'`).join(', ')})`);
  const retrying = runs(
    `'${RETRYING}'`,
    `r.phase = 'untold' AND r.state = '${RETRYING}' AND '${RETRYING}' = ANY (${states})`,
  );
  const found: Looked['found'] = (ofShare) =>
    `SELECT s.* FROM unnest(${states}) AS w(state) CROSS JOIN LATERAL ${ofShare(ended)} s UNION ALL ${ofShare(retrying)}`;
  return { found, values };
}
