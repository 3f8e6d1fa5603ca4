import type { ZoneRules } from '@escapement/core/schedule';
import { type Database, query } from '../postgres/database.ts';

/** What was known of a time zone: from `effectiveAt`, itself included, to `endedAt`, which no longer belongs to it. */
export interface ZoneVersion {
  name: string;
  version: number;
  rules: ZoneRules;
  /** The newest release of the time zone data that says so, as in `2026a`. */
  tzVersion: string;
  effectiveAt: Date;
  /** Null: still in force. */
  endedAt: Date | null;
}

interface Row {
  name: string;
  version: number;
  rules: ZoneRules;
  tz_version: string;
  created_at: Date;
  ended_at: Date | null;
}

/** What was known after `since`, by name, the earliest first. */
export async function zoneVersions(db: Database, since: Date): Promise<ZoneVersion[]> {
  const rows = await query<Row>(
    db.pool,
    'zone_versions',
    `SELECT name, version, rules, tz_version, created_at, ended_at FROM zone_version
     WHERE namespace = $1 AND (ended_at IS NULL OR ended_at > $2) ORDER BY name, version`,
    [db.namespace, since.toISOString()],
  );
  return rows.map(({ tz_version, created_at, ended_at, ...row }) => ({
    ...row,
    tzVersion: tz_version,
    effectiveAt: created_at,
    endedAt: ended_at,
  }));
}

/** The zones by which tasks are due: of their schedules, and of the calendars in force. */
export async function zonesInUse(db: Database): Promise<string[]> {
  const rows = await query<{ name: string }>(
    db.pool,
    'zones_in_use',
    `SELECT schedule->>'timeZone' AS name FROM task WHERE namespace = $1 AND deleted_at IS NULL AND schedule ? 'timeZone'
     UNION SELECT definition->>'timeZone' FROM calendar_version WHERE namespace = $1 AND ended_at IS NULL
     ORDER BY name`,
    [db.namespace],
  );
  return rows.map(({ name }) => name);
}

export interface ZoneSave {
  name: string;
  rules: ZoneRules;
  tzVersion: string;
  /** The version that the caller has read; null: nothing was written down of it. */
  expectedVersion: number | null;
}

/** Writes down what is known of a zone from now on. False: somebody else has, meanwhile. */
export async function saveZoneVersion(db: Database, save: ZoneSave): Promise<boolean> {
  const rows = await query(db.pool, 'save_zone_version', SAVE_ZONE_VERSION, [
    db.namespace,
    save.name,
    JSON.stringify(save.rules),
    save.tzVersion,
    save.expectedVersion,
  ]);
  return rows.length > 0;
}

const SAVE_ZONE_VERSION = `
WITH ended AS (
  UPDATE zone_version SET ended_at = GREATEST(now(), created_at)
  WHERE namespace = $1 AND name = $2 AND version = $5::integer AND ended_at IS NULL
  RETURNING version
)
INSERT INTO zone_version (namespace, name, version, rules, tz_version)
SELECT $1, $2, coalesce($5::integer, 0) + 1, $3::jsonb, $4
WHERE CASE WHEN $5::integer IS NULL THEN NOT EXISTS (SELECT FROM zone_version WHERE namespace = $1 AND name = $2)
  -- The version before must have ended first: it is in force by the unique index.
  ELSE (SELECT count(*) FROM ended) > 0 END
ON CONFLICT DO NOTHING
RETURNING version`;

/** Says that a newer release of the time zone data has the same rules. */
export async function confirmZoneVersion(
  db: Database,
  { name, version, tzVersion }: Pick<ZoneVersion, 'name' | 'version' | 'tzVersion'>,
): Promise<void> {
  await query(
    db.pool,
    'confirm_zone_version',
    `UPDATE zone_version SET tz_version = $4
     WHERE namespace = $1 AND name = $2 AND version = $3 AND ended_at IS NULL AND tz_version < $4`,
    [db.namespace, name, version, tzVersion],
  );
}
