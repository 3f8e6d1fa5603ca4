import { EscapementError, KEPT_DAYS } from '@escapement/core';
import { type Database, query } from './database.ts';

/** What of a Postgres matters where people rely on the fleet, beside `DatabaseReport`. */
export interface ProductionReport {
  /** When Postgres answered, by its clock. */
  now: Date;
  /** `off`: its log is not archived. */
  archiveMode: string;
  lastArchivedAt: Date | null;
  lastArchiveFailedAt: Date | null;
  checksums: boolean;
  autovacuum: boolean;
  /** Standbys that follow now, base backups under way included. */
  standbys: number;
  /** Commits wait for these; empty: for none. */
  synchronousStandbys: string;
  /** Connections that programs may have at once. */
  connections: number;
  /** Those that there are now, of all databases. */
  connected: number;
  /** Programs of ours that are known to be connected over a network without TLS; those of other users are not seen. */
  plainText: number;
  /** Of the session that asks. Milliseconds; 0: none. */
  statementTimeoutMs: number;
  /** Of the database. Bytes. */
  size: number;
  /** The longest that any task keeps its runs; null: there is no task. */
  retentionDays: number | null;
  /** Tokens in use that end within 14 days. */
  tokensEnding: number;
  /** Tokens in use that never end. */
  tokensEndless: number;
}

/** Changes nothing, and needs no right that programs do not have. */
export async function inspectProduction(db: Database): Promise<ProductionReport> {
  const [row] = await query<ProductionReport & { [column: string]: unknown }>(
    db.pool,
    'inspect_production',
    INSPECT_PRODUCTION,
    [db.namespace],
  );
  if (!row) throw new EscapementError('no_answer', 'Postgres answered without a row');
  return row;
}

const IN_USE = `namespace = $1 AND revoked_at IS NULL`;

const INSPECT_PRODUCTION = `
SELECT now()::timestamptz(3) AS now, current_setting('archive_mode') AS "archiveMode",
  a.last_archived_time AS "lastArchivedAt", a.last_failed_time AS "lastArchiveFailedAt",
  current_setting('data_checksums')::boolean AS checksums, current_setting('autovacuum')::boolean AS autovacuum,
  (SELECT count(*)::integer FROM pg_stat_replication) AS standbys,
  current_setting('synchronous_standby_names') AS "synchronousStandbys",
  current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer AS connections,
  (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS connected,
  (SELECT count(*)::integer FROM pg_stat_activity c JOIN pg_stat_ssl s ON s.pid = c.pid WHERE c.datname = current_database()
    AND c.application_name LIKE 'escapement %' AND NOT s.ssl AND NOT c.client_addr <<= ANY ('{127.0.0.0/8,::1}'::inet[])) AS "plainText",
  (SELECT setting::integer FROM pg_settings WHERE name = 'statement_timeout') AS "statementTimeoutMs",
  pg_database_size(current_database())::float8 AS size,
  (SELECT max(coalesce((definition->>'retentionDays')::integer, ${KEPT_DAYS})) FROM task WHERE namespace = $1 AND deleted_at IS NULL) AS "retentionDays",
  (SELECT count(*)::integer FROM access_token WHERE ${IN_USE} AND expires_at BETWEEN now() AND now() + interval '14 days') AS "tokensEnding",
  (SELECT count(*)::integer FROM access_token WHERE ${IN_USE} AND expires_at IS NULL) AS "tokensEndless"
FROM pg_stat_archiver a`;
