import { statfs } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { systemClock } from '@escapement/core';
import { type Database, openDatabase } from '@escapement/store';
import { Redis } from 'ioredis';

const POSTGRES = ['fsync', 'full_page_writes', 'synchronous_commit', 'wal_sync_method', 'shared_buffers', 'autovacuum'];
/** Without these a figure would be one of a server that loses what it has acknowledged. */
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'];
const REDIS = ['appendonly', 'appendfsync', 'maxmemory-policy', 'hz', 'save'];
const TMPFS = 0x01021994;
const COMMITS = 41;

/** Reads back from the servers what is in force, and prints it. Throws where Postgres is not durable. */
export async function printSettings({
  databaseUrl,
  redisUrl,
}: {
  databaseUrl: string;
  redisUrl: string;
}): Promise<void> {
  const db = openDatabase({ url: databaseUrl, applicationName: 'bench settings' });
  const redis = new Redis(redisUrl);
  try {
    const postgres = await postgresSettings(db);
    for (const name of DURABLE) if (postgres.get(name) !== 'on') throw new Error(`Postgres runs with ${name} off`);
    const commitMs = await medianCommitMs(db);
    print(`Postgres ${postgres.get('server_version')}`, [
      ...listed(POSTGRES, postgres),
      `a commit takes ${commitMs} ms`,
    ]);
    print(`Redis ${/redis_version:(\S+)/.exec(await redis.info('server'))?.[1]}`, await redisSettings(redis));
  } finally {
    redis.disconnect();
    await db.close();
  }
  print(`Node ${process.versions.node}`, [
    `${cpus().length} x ${cpus()[0]?.model.trim()}`,
    `load average ${loadavg()[0]?.toFixed(1)}`,
    ...((await statfs(tmpdir())).type === TMPFS ? ['data in memory (tmpfs): fsync costs nothing'] : []),
  ]);
}

function print(name: string, settings: readonly string[]): void {
  process.stdout.write(`${name}: ${settings.join(', ')}\n`);
}

function listed(names: readonly string[], values: ReadonlyMap<string, string>): string[] {
  return names.map((name) => `${name} ${values.get(name) || "''"}`);
}

async function postgresSettings(db: Database): Promise<Map<string, string>> {
  const { rows } = await db.pool.query<{ name: string; value: string }>(
    'SELECT name, current_setting(name) AS value FROM pg_settings WHERE name = ANY($1)',
    [[...POSTGRES, 'server_version']],
  );
  return new Map(rows.map(({ name, value }) => [name, value]));
}

async function redisSettings(redis: Redis): Promise<string[]> {
  const flat = (await redis.config('GET', ...REDIS)) as string[];
  const pairs = flat.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : [],
  );
  return listed(REDIS, new Map(pairs));
}

/** Tells what the disk is like: a commit waits for it. */
async function medianCommitMs(db: Database): Promise<string> {
  const took: number[] = [];
  for (let commit = 0; commit < COMMITS; commit++) {
    const startedMs = systemClock.monotonicMs();
    await db.pool.query('SELECT pg_current_xact_id()');
    took.push(systemClock.monotonicMs() - startedMs);
  }
  return (took.sort((a, b) => a - b)[Math.floor(COMMITS / 2)] ?? Number.NaN).toFixed(2);
}
