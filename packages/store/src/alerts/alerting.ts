import type { By } from '@escapement/core';
import type { Alerting } from '@escapement/core/alerts';
import { nameIn, noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';

/** The document of alerts as it is in force. */
export interface StoredAlerting {
  version: number;
  definition: Alerting;
  savedBy: string;
  savedAt: Date;
}

/** Null: nobody has saved one. */
export async function readAlerting(db: Database): Promise<StoredAlerting | null> {
  const [row] = await query<StoredAlerting & { [column: string]: unknown }>(
    db.pool,
    'read_alerting',
    `SELECT version, definition, created_by AS "savedBy", created_at AS "savedAt" FROM alerting
     WHERE namespace = $1 AND ended_at IS NULL`,
    [db.namespace],
  );
  return row ?? null;
}

/** Saves it as the next version. Null: somebody else has saved one since it was read. */
export async function saveAlertingVersion(
  db: Database,
  save: { definition: Alerting; expectedVersion: number | null; by: By },
): Promise<number | null> {
  const [row] = await query<{ version: number }>(db.pool, 'save_alerting', SAVE_ALERTING, [
    db.namespace,
    JSON.stringify(save.definition),
    toActing(save.by),
    save.expectedVersion,
  ]);
  return row?.version ?? null;
}

// The audit has no copy of it: URLs of receivers stand in it.
const SAVE_ALERTING = `
WITH latest AS MATERIALIZED (
  SELECT coalesce(max(a.version), 0) AS version, max(a.version) FILTER (WHERE a.ended_at IS NULL) AS in_force FROM alerting a WHERE a.namespace = $1
), ended AS (
  UPDATE alerting a SET ended_at = greatest(now(), a.created_at) FROM latest l
  WHERE a.namespace = $1 AND a.version = l.in_force AND a.ended_at IS NULL AND l.in_force IS NOT DISTINCT FROM $4::integer
  RETURNING a.version
), saved AS (
  INSERT INTO alerting (namespace, version, definition, created_by)
  SELECT $1, l.version + 1, $2::jsonb, ${nameIn('$3')} FROM latest l
  WHERE l.in_force IS NOT DISTINCT FROM $4::integer AND (SELECT count(*) FROM ended) = CASE WHEN $4::integer IS NULL THEN 0 ELSE 1 END
  ON CONFLICT DO NOTHING
  RETURNING version
), noted AS (
  ${noteAction({
    by: '$3',
    action: "'save'",
    subject: "'alerting:' || $1::text",
    detail: "jsonb_build_object('version', s.version)",
    from: 'saved s',
  })}
)
SELECT version FROM saved`;
