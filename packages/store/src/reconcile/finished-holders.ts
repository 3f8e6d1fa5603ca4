import { OPEN_STATES, scheduledForOf } from '@escapement/core';
import { type Database, query } from '../database.ts';

/** Which of these runs have ended, or are not there: a lease in their name protects nothing. In order. */
export async function haveFinished(db: Database, runIds: readonly string[]): Promise<boolean[]> {
  const rows = await query<{ ended: boolean }>(
    db.hot,
    'have_ended',
    `SELECT r.id IS NULL AS ended FROM unnest($1::uuid[], $2::timestamptz[]) WITH ORDINALITY AS i(id, scheduled_for, place)
     LEFT JOIN run r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for AND r.state = ANY ($3::text[])
     ORDER BY i.place`,
    [runIds, runIds.map((id) => scheduledForOf(id).toISOString()), OPEN_STATES],
  );
  return rows.map((row) => row.ended);
}
