import type { Database } from '@escapement/store';
import { Redis } from 'ioredis';
import { cpuUsOf, cpuUsOfFamily, machineBusyUs } from './cpu.ts';
import type { BenchServers } from './servers.ts';

/** Whose processor time is told apart. The adder is the benchmark's own process, where it has a part in the work. */
export const PARTS = ['worker', 'scheduler', 'adder', 'postgres', 'redis'] as const;
export type Part = (typeof PARTS)[number];

/** The processes to be measured, beside the servers. */
export type Pids = Partial<Record<'worker' | 'scheduler' | 'adder', readonly number[]>>;

/** What was used between two readings. */
export interface Usage {
  /** Processor time. Microseconds. */
  cpuUs: Record<Part, number>;
  /** Processor time of everything else on the machine, the benchmark's own driver included. Microseconds. */
  othersUs: number;
  walBytes: number;
  /** Of it, whole pages, which the first change after a checkpoint writes. */
  fullPageBytes: number;
  /** Transactions that wrote. */
  commits: number;
  /** Those that clients sent. */
  statements: number;
  /** Scripts that clients called. */
  scripts: number;
  /** Commands, those within scripts included. */
  commands: number;
}

export interface Meter {
  /** Reads all counters; processor time is what comes last at the start and first at the end, so that reading is not in it. */
  start(): Promise<Reading>;
  end(): Promise<Reading>;
  usage(from: Reading, to: Reading): Promise<Usage>;
  close(): void;
}

export interface Reading {
  cpuUs: Record<Part, number>;
  machineUs: number;
  lsn: string;
  statements: number;
  redis: RedisCounters;
}

interface RedisCounters {
  scripts: number;
  commands: number;
}

/** Counts what a fleet and its servers use. Reading costs a few statements and commands, which are counted with the rest. */
export async function createMeter(servers: BenchServers, db: Database, pids: Pids): Promise<Meter> {
  const redis = new Redis(servers.redisUrl);
  await db.pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await db.pool.query('CREATE EXTENSION IF NOT EXISTS pg_walinspect');
  return {
    async start() {
      const counters = { ...(await readPostgres(db)), redis: await readRedis(redis) };
      return { ...counters, ...readCpu(servers, pids) };
    },
    async end() {
      const cpu = readCpu(servers, pids);
      return { ...cpu, ...(await readPostgres(db)), redis: await readRedis(redis) };
    },
    async usage(from, to) {
      const { cpuUs, measuredUs } = cpuBetween(from, to);
      return {
        cpuUs,
        othersUs: to.machineUs - from.machineUs - measuredUs,
        ...(await walBetween(db, from.lsn, to.lsn)),
        statements: to.statements - from.statements,
        scripts: to.redis.scripts - from.redis.scripts,
        commands: to.redis.commands - from.redis.commands,
      };
    },
    close: () => redis.disconnect(),
  };
}

function readCpu(servers: BenchServers, { worker = [], scheduler = [], adder = [] }: Pids) {
  const all = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + cpuUsOf(pid), 0);
  const cpuUs: Record<Part, number> = {
    worker: all(worker),
    scheduler: all(scheduler),
    adder: all(adder),
    postgres: cpuUsOfFamily(servers.postgresPid),
    redis: cpuUsOf(servers.redisPid),
  };
  return { cpuUs, machineUs: machineBusyUs() };
}

function cpuBetween(from: Reading, to: Reading): { cpuUs: Record<Part, number>; measuredUs: number } {
  const cpuUs = { ...to.cpuUs };
  for (const part of PARTS) cpuUs[part] -= from.cpuUs[part];
  return { cpuUs, measuredUs: PARTS.reduce((sum, part) => sum + cpuUs[part], 0) };
}

async function readPostgres(db: Database): Promise<{ lsn: string; statements: number }> {
  const { rows } = await db.pool.query<{ lsn: string; statements: number }>(
    `SELECT pg_current_wal_insert_lsn()::text AS lsn,
       (SELECT coalesce(sum(calls), 0)::float8 FROM pg_stat_statements WHERE toplevel) AS statements`,
  );
  const [row] = rows;
  if (!row) throw new Error('Postgres told nothing');
  return row;
}

async function readRedis(redis: Redis): Promise<RedisCounters> {
  const [stats, byCommand] = [await redis.info('stats'), await redis.info('commandstats')];
  const calls = (command: string) => Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(byCommand)?.[1] ?? 0);
  return {
    commands: Number(/total_commands_processed:(\d+)/.exec(stats)?.[1]),
    scripts: calls('evalsha') + calls('eval') + calls('fcall'),
  };
}

export type WalUsage = Pick<Usage, 'walBytes' | 'fullPageBytes' | 'commits'>;

/** By the log itself: counters of Postgres' own lag behind by a second or more. */
export async function walBetween(db: Database, from: string, to: string): Promise<WalUsage> {
  if (from === to) return { walBytes: 0, fullPageBytes: 0, commits: 0 };
  const { rows } = await db.pool.query<WalUsage>(
    `SELECT pg_wal_lsn_diff($2, $1)::float8 AS "walBytes", coalesce(sum(fpi_size), 0)::float8 AS "fullPageBytes",
       coalesce(sum(count) FILTER (WHERE "resource_manager/record_type" = 'Transaction/COMMIT'), 0)::float8 AS commits
     FROM pg_get_wal_stats($1::pg_lsn, $2::pg_lsn, true)`,
    [from, to],
  );
  const [row] = rows;
  if (!row) throw new Error('Postgres told nothing');
  return row;
}
