import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EngineEvent, type Handler, HOUR, systemClock } from '@escapement/core';
import { ensureServers } from '@escapement/servers';
import { type Database, migrate, openDatabase } from '@escapement/store';
import { createWorker } from '@escapement/worker';

export interface BenchServers {
  databaseUrl: string;
  redisUrl: string;
  stop(): Promise<void>;
}

/** Postgres and Redis of the benchmark's own, with their stock settings. */
export async function startServers(): Promise<BenchServers> {
  const dataDir = await mkdtemp(join(tmpdir(), 'escapement-bench-'));
  const servers = await ensureServers({ dataDir, ephemeral: true, log: (line) => process.stderr.write(`${line}\n`) });
  await migrate(servers.databaseUrl);
  return {
    ...servers,
    async stop() {
      await servers.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface BenchFleet {
  db: Database;
  /** Of the scheduler's process, once it has started. */
  readonly schedulerPid: number | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface BenchFleetOptions {
  concurrency: number;
  handler: Handler;
  onEvent?: (event: EngineEvent) => void;
  /** Intervals of up to this ride repeatable jobs. Default: as by default. */
  tickMs?: number;
}

/** A scheduler in a process of its own, as in a fleet, and a worker in this one. */
export function createFleet(servers: BenchServers, options: BenchFleetOptions): BenchFleet {
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench' });
  const worker = createWorker({
    ...surroundings(servers, db),
    process: { ...PROCESS, id: 'bench-worker', role: 'worker' },
    emit: options.onEvent ?? (() => undefined),
    handlers: () => options.handler,
    concurrency: options.concurrency,
  });
  let scheduler: StartedScheduler | undefined;
  return {
    db,
    get schedulerPid() {
      return scheduler?.pid;
    },
    async start() {
      await worker.start();
      scheduler = await startScheduler(servers, options.tickMs);
    },
    async stop() {
      await scheduler?.stop();
      await worker.stop(1000);
      await db.close();
    },
  };
}

export interface StartedScheduler {
  pid: number | undefined;
  stop(): Promise<void>;
}

/** A scheduler in a process of its own. */
export async function startScheduler(servers: BenchServers, tickMs?: number): Promise<StartedScheduler> {
  const scheduler: ChildProcess = fork(new URL('./scheduler-process.ts', import.meta.url), [
    servers.databaseUrl,
    servers.redisUrl,
    ...(tickMs === undefined ? [] : [String(tickMs)]),
  ]);
  await once(scheduler, 'message');
  return {
    pid: scheduler.pid,
    async stop() {
      scheduler.disconnect();
      await once(scheduler, 'exit');
    },
  };
}

export const PROCESS = { host: 'bench', pid: process.pid, appVersion: 'bench', pools: ['default'] };

/** What scheduler and worker have in common. */
export function surroundings(servers: Pick<BenchServers, 'redisUrl'>, db: Database) {
  return {
    db,
    redis: { url: servers.redisUrl, namespace: 'default' },
    clock: systemClock,
    onError: (error: unknown) => void process.stderr.write(`${error}\n`),
    leaseMs: 10_000,
    maxClockOffsetMs: 500,
  };
}

/** Inserts tasks in bulk: saving each by the API is not what is measured. */
export async function insertTasks(
  db: Database,
  count: number,
  schedule: (index: number) => { spec: object; nextRunAt: Date | null },
  overlap = 'skip',
): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `bench-${index}`);
  const schedules = names.map((_, index) => schedule(index));
  // What is late is measured, not judged.
  const rules = { misfireThresholdMs: HOUR };
  const definition = { schedule: { kind: 'manual' }, handler: { type: 'code', name: 'noop' }, ...rules };
  await db.pool.query(
    `WITH t AS (
       INSERT INTO task (name, definition, schedule, key_template, key_limit, overlap, pool, source, effective_at, next_run_at,
         rules)
       SELECT i.name, $4::jsonb || jsonb_build_object('name', i.name), i.schedule, i.name, 1, $5, 'default', 'bench', now(), i.at,
         $6::jsonb
       FROM unnest($1::text[], $2::jsonb[], $3::timestamptz[]) AS i(name, schedule, at)
       RETURNING *
     )
     INSERT INTO task_version (task_id, version, definition, source, created_by) SELECT id, 1, definition, 'bench', 'bench' FROM t`,
    [
      names,
      schedules.map(({ spec }) => JSON.stringify(spec)),
      schedules.map(({ nextRunAt }) => nextRunAt?.toISOString() ?? null),
      JSON.stringify(definition),
      overlap,
      JSON.stringify(rules),
    ],
  );
  await db.pool.query('ANALYZE');
}
