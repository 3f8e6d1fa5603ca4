import { randomUUID } from 'node:crypto';
import { ensureServers } from '@escapement/servers';
import { migrate, openDatabase } from '@escapement/store';
import { movableTime } from './movable-time.ts';

/** What a fleet under test works with. */
export interface FleetServers {
  databaseUrl: string;
  redisUrl: string;
  /** Leaves nothing behind but, in a Redis that was given, keys of the namespace. */
  stop(): Promise<void>;
}

export interface FleetServersOptions {
  databaseUrl?: string | undefined;
  redisUrl?: string | undefined;
  /** By how much Postgres' time is to be ahead of its own. */
  aheadMs: number;
  log: (line: string) => void;
}

/** Servers of its own, unless they are given, and in Postgres a database of its own, with a time that can be moved. */
export async function startFleetServers({ aheadMs, ...options }: FleetServersOptions): Promise<FleetServers> {
  const servers = await ensureServers({ dataDir: '', ephemeral: true, compose: false, ...options });
  try {
    const database = await createDatabase(servers.databaseUrl, aheadMs);
    return {
      databaseUrl: database.url,
      redisUrl: servers.redisUrl,
      async stop() {
        if (servers.how.postgres === 'url') await database.drop();
        await servers.stop();
      },
    };
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

async function createDatabase(serverUrl: string, aheadMs: number): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `escapement_test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await once(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
  const drop = () => once(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  try {
    await once(url.href, movableTime(aheadMs));
    await migrate(url.href);
  } catch (error) {
    await drop();
    throw error;
  }
  return { url: url.href, drop };
}

async function once(url: string, statement: string): Promise<void> {
  const db = openDatabase({ url, applicationName: 'escapement test fleet', connections: 1 });
  try {
    await db.pool.query(statement);
  } finally {
    await db.close();
  }
}
