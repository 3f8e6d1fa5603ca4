import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, findRedis, startPostgres, startRedis } from '@escapement/servers';
import { migrate } from '@escapement/store';
import { cpuUsOf, cpuUsOfFamily } from '../cpu.ts';
import { printSettings } from '../settings.ts';

/** Postgres refuses some of the 300 idle connections, and then has none for anybody. */
const MAX_CONNECTIONS = 200;
const POSTGRES_SETTINGS = [
  // A phase reads the log that it wrote: a checkpoint must keep it.
  'wal_keep_size=4GB',
  `max_connections=${MAX_CONNECTIONS}`,
];

/** Durable servers of the benchmark's own, of which Postgres can be away for a while. */
export interface PressureServers {
  databaseUrl: string;
  redisUrl: string;
  /** Processor time that all processes of Postgres have used, also before a restart. Microseconds. */
  postgresUs(): number;
  redisUs(): number;
  stopPostgres(): Promise<void>;
  /** Starts Postgres again, on the same data and the same port. */
  startPostgres(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPressureServers(): Promise<PressureServers> {
  const home = await mkdtemp(join(tmpdir(), 'escapement-bench-pressure-'));
  // Postgres may run as another user, who has to enter it.
  await chmod(home, 0o711);
  const program = await findRedis((line) => process.stderr.write(`${line}\n`));
  const redis = await startRedis(program, { dir: join(home, 'redis'), port: 0 });
  const postgres = await restartable(join(home, 'postgres'));
  const stop = async () => {
    await Promise.all([postgres.stop(), redis.stop()]);
    await rm(home, { recursive: true, force: true });
  };
  const addresses = { databaseUrl: postgres.url, redisUrl: redis.url };
  try {
    await migrate(addresses.databaseUrl);
    await printSettings(addresses);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...addresses,
    postgresUs: postgres.usedUs,
    redisUs: () => cpuUsOf(redis.pid),
    stopPostgres: postgres.stop,
    startPostgres: postgres.start,
    stop,
  };
}

async function restartable(dir: string) {
  const startAt = (port: number) => startPostgres({ dir, port, settings: POSTGRES_SETTINGS });
  const { url, port, ...first } = await startAt(0);
  let server: Pick<EmbeddedServer, 'pid' | 'stop'> | undefined = first;
  let endedUs = 0;
  return {
    url,
    usedUs: () => endedUs + (server === undefined ? 0 : cpuUsOfFamily(server.pid)),
    async stop() {
      const stopped = server;
      if (stopped === undefined) return;
      endedUs += cpuUsOfFamily(stopped.pid);
      server = undefined;
      await stopped.stop();
    },
    async start() {
      const next = await startAt(port);
      server = next;
      if (next.url !== url) throw new Error(`Postgres came back at ${next.url} in place of ${url}`);
    },
  };
}
