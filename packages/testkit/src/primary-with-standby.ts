import pg from 'pg';
import { migrateWithRoles } from './database-users.ts';
import { eventually } from './pace/fair-time.ts';
import { startProxy } from './proxy.ts';
import type { Cluster, SystemPostgres } from './system-postgres.ts';
import { administer } from './test-database.ts';

export interface PrimaryWithStandby {
  primary: Cluster;
  standby: Cluster;
  /** Of the migrated database `ledger`. */
  primaryUrl: string;
  standbyUrl: string;
  /** The folder of the standby. */
  dir: string;
  /** Between both. */
  link: Awaited<ReturnType<typeof startProxy>>;
  /** Resolves once the standby has what the primary had. */
  caughtUp(): Promise<void>;
}

/** A migrated database on a primary, and a standby that follows it asynchronously. */
export async function primaryWithStandby(postgres: SystemPostgres): Promise<PrimaryWithStandby> {
  const primary = await postgres.create();
  await administer(primary.url, 'CREATE DATABASE ledger');
  const primaryUrl = inLedger(primary);
  await migrateWithRoles(primaryUrl);
  const link = await startProxy(primary.url);
  const dir = postgres.folder();
  await postgres.run('pg_basebackup', '-D', dir, '-d', link.url, '-X', 'stream', '-c', 'fast', '-R');
  const standby = await postgres.start(dir);
  const caughtUp = async () => {
    const lsn = await answerOf(primary.url, 'SELECT pg_current_wal_lsn()::text');
    await eventually(async () => {
      if (!(await answerOf(standby.url, `SELECT pg_last_wal_replay_lsn() >= '${lsn}'`)))
        throw new Error(`the standby has not come to ${lsn}`);
    });
  };
  return { primary, standby, primaryUrl, standbyUrl: inLedger(standby), dir, link, caughtUp };
}

function inLedger({ url }: Cluster): string {
  return Object.assign(new URL(url), { pathname: '/ledger' }).href;
}

async function answerOf(connectionString: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}
