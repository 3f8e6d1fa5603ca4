import type { CalendarSpec } from '@escapement/core/schedule';
import { type Database, query } from '../postgres/database.ts';
import { MADE_AHEAD_MS } from '../tasks/due-tasks.ts';

/** What a calendar said in a time: from `effectiveAt`, itself included, to `endedAt`, which no longer belongs to it. */
export interface CalendarInForce {
  name: string;
  definition: CalendarSpec;
  effectiveAt: Date;
  /** Null: still in force. */
  endedAt: Date | null;
}

/** The versions of all calendars that were in force some time in (from, to], or shortly before. */
export async function calendarsInForce(
  db: Database,
  { from, to }: { from: Date; to: Date },
): Promise<CalendarInForce[]> {
  const rows = await query<{ name: string; definition: CalendarSpec; created_at: Date; ended_at: Date | null }>(
    db.pool,
    'calendars_in_force',
    `SELECT name, definition, created_at, ended_at FROM calendar_version
     WHERE namespace = $1 AND created_at <= $3 AND (ended_at IS NULL OR ended_at > $2) ORDER BY name, version`,
    [db.namespace, new Date(from.getTime() - MADE_AHEAD_MS).toISOString(), to.toISOString()],
  );
  return rows.map((row) => ({
    name: row.name,
    definition: row.definition,
    effectiveAt: row.created_at,
    endedAt: row.ended_at,
  }));
}
