import { randomUUID } from 'node:crypto';
import type { ClientBase, Pool } from 'pg';
import { checksumOf, type Migration } from './migration-files.ts';

/** A row of Prisma's own table, so that `prisma migrate deploy` and this runner may follow one another. */
export interface MigrationRow {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  logs: string | null;
}

/** The definition is Prisma's, column for column. */
export async function createTable(client: ClientBase): Promise<void> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
      "id"                  varchar(36) NOT NULL PRIMARY KEY,
      "checksum"            varchar(64) NOT NULL,
      "finished_at"         timestamptz,
      "migration_name"      varchar(255) NOT NULL,
      "logs"                text,
      "rolled_back_at"      timestamptz,
      "started_at"          timestamptz NOT NULL DEFAULT now(),
      "applied_steps_count" integer NOT NULL DEFAULT 0
    )`);
}

/** What was begun and not rolled back, in the order it was begun. Empty when the table does not exist. */
export async function readRows(client: ClientBase | Pool): Promise<MigrationRow[]> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('"_prisma_migrations"') IS NOT NULL AS found`,
  );
  if (!tables[0]?.found) return [];
  const { rows } = await client.query<MigrationRow>(`
    SELECT migration_name, checksum, finished_at, logs FROM "_prisma_migrations"
    WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`);
  return rows;
}

export async function insertApplied(client: ClientBase, migration: Migration): Promise<void> {
  await client.query(
    `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), checksumOf(migration.sql), migration.name],
  );
}

/** A failed migration left nothing behind, so its row says `rolled back` and stands in nobody's way. */
export async function insertFailed(client: ClientBase, migration: Migration, logs: string): Promise<void> {
  await client.query(
    `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, rolled_back_at, logs)
     VALUES ($1, $2, $3, now(), clock_timestamp(), $4)`,
    [randomUUID(), checksumOf(migration.sql), migration.name, logs],
  );
}
