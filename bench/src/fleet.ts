import { type Database, openDatabase } from '@escapement/store';
import { type Child, startChild } from './children.ts';
import type { BenchHandlerName } from './handlers.ts';
import type { BenchServers } from './servers.ts';
import { type Count, countOf } from './tally.ts';

export interface BenchFleetOptions {
  /** Default 1. */
  workers?: number;
  /** Of each worker. Default 100. */
  concurrency?: number;
  /** Default: a handler that does nothing. */
  handler?: BenchHandlerName;
  /** Intervals of up to this ride repeatable jobs. Default: as by default. */
  repeatableUpToMs?: number;
  profileDir?: string | undefined;
}

/** One scheduler and so many workers, each in a process of its own: node and the build, nothing else in it. */
export interface BenchFleet {
  /** The benchmark's own connections. */
  db: Database;
  scheduler: Child;
  workers: readonly Child[];
  count: Count;
  stop(): Promise<void>;
}

export async function startFleet(servers: BenchServers, options: BenchFleetOptions = {}): Promise<BenchFleet> {
  const { workers: size = 1, profileDir } = options;
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
  const workers: Child[] = [];
  for (let index = 0; index < size; index++) workers.push(await startWorker(servers, index, options));
  const scheduler = await startScheduler(servers, { repeatableUpToMs: options.repeatableUpToMs, profileDir });
  return {
    db,
    scheduler,
    workers,
    count: countOf(workers),
    async stop() {
      await scheduler.stop();
      await Promise.all(workers.map((worker) => worker.stop()));
      await db.close();
    },
  };
}

/** For connections of a benchmark: it fills tables and vacuums them. */
export const PATIENT = { statementTimeoutMs: 3_600_000, idleInTransactionTimeoutMs: 3_600_000 };

function startWorker(servers: BenchServers, index: number, options: BenchFleetOptions): Promise<Child> {
  const { databaseUrl, redisUrl } = servers;
  const { concurrency = 100, handler = 'noop', profileDir } = options;
  return startChild('./worker-process.js', { databaseUrl, redisUrl, index, concurrency, handler }, { profileDir });
}

export function startScheduler(
  { databaseUrl, redisUrl }: BenchServers,
  { repeatableUpToMs, profileDir }: { repeatableUpToMs?: number | undefined; profileDir?: string | undefined } = {},
): Promise<Child> {
  return startChild('./scheduler-process.js', { databaseUrl, redisUrl, index: 0, repeatableUpToMs }, { profileDir });
}

/** For a benchmark that measures one fleet after the other: no task, no run, no process of the last one. */
export async function clearTables({ databaseUrl }: BenchServers): Promise<void> {
  const db = openDatabase({ url: databaseUrl, applicationName: 'bench', ...PATIENT });
  await db.pool.query('TRUNCATE task, run, key_slot, gate, process CASCADE');
  await db.close();
}
