import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterFile } from './clean-up.ts';
import { testServers } from './test-servers.ts';

export interface TestDatabase {
  url: string;
  name: string;
}

export interface TestDatabaseOptions {
  /** A database without any table instead of a migrated one. Default false. */
  empty?: boolean;
  /** A copy of this database, with all that is in it; nobody may be connected to it. Default: of the migrated template. */
  copyOf?: TestDatabase;
}

/**
 * A migrated database for the calling test file alone, dropped after its last test.
 * About 50 ms where the data are in memory.
 */
export async function testDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { postgresUrl, template } = testServers();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const model = options.empty ? 'template0' : (options.copyOf?.name ?? template);
  await administer(postgresUrl, `CREATE DATABASE ${name} TEMPLATE ${model}`);
  afterFile(() => administer(postgresUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return { url: url.href, name };
}

/** Carries out a statement in the database of a URL, by a connection of its own. */
export async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
