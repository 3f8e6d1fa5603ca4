import { isRunId, OPEN_STATES, scheduledForOf } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

/** Which of these runs have ended, or are not there: a lease in their name protects nothing. In order. What is no id of a run is none. */
export async function haveFinished(db: Database, holders: readonly string[]): Promise<boolean[]> {
  const ids = holders.filter(isRunId);
  const ended = await haveEnded(db, ids);
  const endedById = new Map(ids.map((id, index) => [id, ended[index]]));
  return holders.map((id) => endedById.get(id) ?? true);
}

async function haveEnded(db: Database, runIds: readonly string[]): Promise<boolean[]> {
  const rows = await query<{ ended: boolean }>(
    db.hot,
    'have_ended',
    `SELECT r.id IS NULL AS ended FROM unnest($1::uuid[], $2::timestamptz[]) WITH ORDINALITY AS i(id, scheduled_for, place)
     LEFT JOIN any_run r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for AND r.namespace = $4
       AND r.state = ANY ($3::text[])
     ORDER BY i.place`,
    [runIds, runIds.map((id) => scheduledForOf(id).toISOString()), OPEN_STATES, db.namespace],
  );
  return rows.map((row) => row.ended);
}
