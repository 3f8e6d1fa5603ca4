import { HOUR, SECOND, systemClock } from '@escapement/core';
import { connectRedis, createRunQueue } from '@escapement/queue';
import { type Database, openDatabase } from '@escapement/store';
import { Redis } from 'ioredis';
import { pause, startApp, stopApp } from './apps.ts';
import { filled } from './filled.ts';
import { clearTables, PATIENT, startScheduler } from './fleet.ts';
import { insertRuns } from './insert-runs.ts';
import { insertTasks, NEVER } from './insert-tasks.ts';
import { startPipeline, YEARLY } from './rounds.ts';
import { type BenchServers, startServers } from './servers.ts';
import { figure, tableOf } from './table.ts';
import type { Figures } from './targets.ts';

const RUNS = 50_000;
const ROUNDS = 4;
const SETTLE_MS = 20 * SECOND;

/**
 * `footprint [RUNS]`: what a fleet needs room for: bytes of a task and of a run that has ended on the disk of Postgres, bytes of a queued
 * run in the memory of Redis, connections of each program to Postgres. Nothing here is timed.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const runs = Number(args[0] ?? RUNS);
  const servers = await startServers();
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
  try {
    const lines = [
      await ofTask(db, runs),
      ...(await ofEndedRuns(servers, db, runs)),
      await ofQueuedRuns(servers, db, { runs, what: 'a queued run that is due alone', apartMs: SECOND / 2 }),
      await ofQueuedRuns(servers, db, { runs, what: 'a queued run, many due at once', apartMs: 0 }),
      ...(await ofPrograms(servers, db)),
    ];
    process.stdout.write(`\n${tableOf([['what', 'where', 'each'], ...lines])}`);
    return {};
  } finally {
    await db.close();
    await servers.stop();
  }
}

type Line = [what: string, where: string, each: string];

async function ofTask(db: Database, tasks: number): Promise<Line> {
  const before = await sizeOf(db, 'task%');
  await insertTasks(db, tasks, () => ({ spec: YEARLY, nextRunAt: NEVER }));
  const after = await sizeOf(db, 'task%');
  return ['a task and its first version', 'disk', bytes((after.all - before.all) / tasks)];
}

/** Of the whole pipeline, with a handler that does nothing: payloads, outputs and logs come on top. */
async function ofEndedRuns(servers: BenchServers, db: Database, runs: number): Promise<Line[]> {
  await clearTables(servers);
  const round = Math.ceil(runs / ROUNDS);
  const pipeline = await startPipeline(servers, round);
  await pipeline.warmUp();
  await db.pool.query('VACUUM ANALYZE');
  const before = await sizeOf(db, 'run%');
  for (let index = 0; index < ROUNDS; index++) await pipeline.round(round);
  await db.pool.query('VACUUM ANALYZE');
  const after = await sizeOf(db, 'run%');
  await pipeline.stop();
  const each = (size: keyof Size) => bytes((after[size] - before[size]) / (round * ROUNDS));
  return [
    ['a run that has ended, its row', 'disk', each('table')],
    ['its entries in indexes', 'disk', each('indexes')],
  ];
}

/** The scheduler fills an empty queue with runs that are due from an hour on. */
async function ofQueuedRuns(
  servers: BenchServers,
  db: Database,
  { runs, what, apartMs }: { runs: number; what: string; apartMs: number },
): Promise<Line> {
  await clearTables(servers);
  await insertTasks(db, 1, () => ({ spec: { kind: 'manual' }, nextRunAt: null }));
  const redis = new Redis(servers.redisUrl);
  await redis.flushall();
  const connection = connectRedis({ url: servers.redisUrl, namespace: db.namespace });
  const queue = createRunQueue(connection);
  const scheduler = await startScheduler(servers);
  try {
    await pause(5 * SECOND);
    const before = await memoryOf(redis);
    const first = systemClock.now().getTime() + HOUR;
    const at = (index: number) => new Date(first + index * apartMs);
    await insertRuns(db, { task: 'bench-0', count: runs, state: 'queued', at, keys: 'own' });
    await redis.flushall();
    await filled(queue, runs);
    return [what, 'memory of Redis', bytes(((await memoryOf(redis)) - before) / runs)];
  } finally {
    await scheduler.stop();
    redis.disconnect();
    await connection.close();
  }
}

/** As images start them, with nothing to do. */
async function ofPrograms(servers: BenchServers, db: Database): Promise<Line[]> {
  await clearTables(servers);
  const apps = (['scheduler', 'worker', 'api'] as const).map((app) => startApp(app, servers));
  try {
    await pause(SETTLE_MS);
    const { rows } = await db.pool.query<{ program: string; links: number }>(
      `SELECT application_name AS program, count(*)::integer AS links FROM pg_stat_activity
       WHERE datname = current_database() AND application_name NOT LIKE 'bench%' GROUP BY 1 ORDER BY 1`,
    );
    return rows.map(({ program, links }) => [program, 'connections to Postgres, idle', String(links)]);
  } finally {
    await Promise.all(apps.map(stopApp));
  }
}

interface Size {
  table: number;
  indexes: number;
  all: number;
}

async function sizeOf(db: Database, tables: string): Promise<Size> {
  const { rows } = await db.pool.query<Size>(
    `SELECT sum(pg_table_size(c.oid))::float8 AS table, sum(pg_indexes_size(c.oid))::float8 AS indexes,
       sum(pg_total_relation_size(c.oid))::float8 AS all
     FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname LIKE $1`,
    [tables],
  );
  return rows[0] ?? { table: 0, indexes: 0, all: 0 };
}

async function memoryOf(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

function bytes(value: number): string {
  return `${figure(value)} B`;
}
