import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, findRedis, startPostgres, startRedis } from '@escapement/servers';
import { migrate } from '@escapement/store';
import { printSettings } from './settings.ts';

export interface BenchServers {
  databaseUrl: string;
  redisUrl: string;
  postgresPid: number;
  redisPid: number;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Statements within functions are counted too, each apart. Costs time. Default false. */
  nestedStatements?: boolean;
  /** `name=value`, for what one benchmark needs. */
  postgresSettings?: string[];
}

/**
 * Postgres and Redis of the benchmark's own, both durable: Postgres with its stock settings, Redis as
 * docker-compose.yml has it. What is in force is read back from the servers and printed.
 */
export async function startServers(options: ServerOptions = {}): Promise<BenchServers> {
  const redisProgram = await findRedis((line) => process.stderr.write(`${line}\n`));
  const [postgres, redis] = await Promise.all([
    place('postgres').then((at) => startPostgres({ ...at, settings: postgresSettings(options) })),
    place('redis').then((at) => startRedis(redisProgram, at)),
  ]);
  const servers = { databaseUrl: postgres.url, redisUrl: redis.url, postgresPid: postgres.pid, redisPid: redis.pid };
  const stop = () => stopBoth(postgres, redis);
  try {
    await migrate(postgres.url);
    await printSettings(servers);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...servers, stop };
}

function postgresSettings({ nestedStatements = false, postgresSettings: more = [] }: ServerOptions): string[] {
  return [
    'shared_preload_libraries=pg_stat_statements',
    `pg_stat_statements.track=${nestedStatements ? 'all' : 'top'}`,
    // The log that a round has written is read at its end: a checkpoint must not have removed it.
    'wal_keep_size=4GB',
    ...more,
  ];
}

/** A folder that is gone when the server is. */
async function place(name: string) {
  const removeDir = await mkdtemp(join(tmpdir(), `escapement-bench-${name}-`));
  // Postgres may run as another user, who has to enter it.
  await chmod(removeDir, 0o711);
  return { dir: join(removeDir, name), port: 0, removeDir };
}

async function stopBoth(...servers: EmbeddedServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}
