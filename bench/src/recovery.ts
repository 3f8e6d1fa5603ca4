import { MINUTE, newRunId, SECOND, systemClock } from '@escapement/core';
import { type Database, openDatabase } from '@escapement/store';
import { Redis } from 'ioredis';
import { PATIENT, startScheduler } from './fleet.ts';
import { insertTasks, NEVER } from './insert-tasks.ts';
import { type BenchServers, startServers } from './servers.ts';

const DEFAULT_RUNS = 100_000;
const ROUNDS = 3;
const INSERT_BATCH = 10_000;
const GIVE_UP_MS = 2 * MINUTE;
const LIST = 'esc:{default:default}:default:delayed';

/** How long the queue takes to be equal to the ledger again after a FLUSHALL, with so many open runs. */
export async function run(args: readonly string[]): Promise<void> {
  const runs = Number(args[0] ?? DEFAULT_RUNS);
  const servers = await startServers();
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
  const redis = new Redis(servers.redisUrl);
  try {
    await insertRuns(db, runs);
    await recover(servers, { redis, runs });
  } finally {
    redis.disconnect();
    await db.close();
    await servers.stop();
  }
}

async function recover(servers: BenchServers, { redis, runs }: { redis: Redis; runs: number }): Promise<void> {
  const filling = systemClock.monotonicMs();
  const { stop } = await startScheduler(servers);
  await filled(redis, runs);
  process.stdout.write(
    `${runs} queued runs; an empty queue filled in ${since(filling)}, start of the scheduler included\n`,
  );
  for (let round = 1; round <= ROUNDS; round++) {
    // Well into the time between two passes, and none under way.
    await new Promise((resolve) => setTimeout(resolve, 3 * SECOND + (round * SECOND) / ROUNDS));
    const flushed = systemClock.monotonicMs();
    await redis.flushall();
    await filled(redis, runs);
    process.stdout.write(`round ${round}: queue equal to the ledger ${since(flushed)} after FLUSHALL\n`);
  }
  await stop();
}

async function filled(redis: Redis, runs: number): Promise<void> {
  const startedMs = systemClock.monotonicMs();
  while ((await redis.zcard(LIST)) < runs) {
    if (systemClock.monotonicMs() - startedMs > GIVE_UP_MS) throw new Error(`not healed after ${GIVE_UP_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function since(ms: number): string {
  return `${((systemClock.monotonicMs() - ms) / SECOND).toFixed(1)} s`;
}

/** Due from half an hour on: none of them begins meanwhile. */
async function insertRuns(db: Database, runs: number): Promise<void> {
  await insertTasks(db, 1, () => ({ spec: { kind: 'manual' }, nextRunAt: NEVER }));
  const first = systemClock.now().getTime() + 30 * MINUTE;
  for (let at = 0; at < runs; at += INSERT_BATCH) {
    const times = Array.from({ length: Math.min(INSERT_BATCH, runs - at) }, (_, index) => new Date(first + at + index));
    await db.pool.query(
      `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, dispatch, key,
         key_limit, overlap, pool, due_at)
       SELECT i.id, i.at, t.namespace, t.id, t.version, t.plan_epoch, 'trigger', 'queued', 1, t.key_template, 1, t.overlap,
         t.pool, i.at FROM task t, unnest($1::uuid[], $2::timestamptz[]) AS i(id, at)`,
      [times.map((time) => newRunId(time)), times.map((time) => time.toISOString())],
    );
  }
  await db.pool.query('VACUUM ANALYZE run');
}
