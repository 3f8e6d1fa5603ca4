import { MINUTE, SECOND, systemClock } from '@escapement/core';
import { connectRedis, createRunQueue, type RunQueue } from '@escapement/queue';
import { type Database, openDatabase } from '@escapement/store';
import { Redis } from 'ioredis';
import { filled } from './filled.ts';
import { PATIENT, startScheduler } from './fleet.ts';
import { insertRuns } from './insert-runs.ts';
import { insertTasks } from './insert-tasks.ts';
import { type BenchServers, startServers } from './servers.ts';
import { median } from './table.ts';
import type { Figures } from './targets.ts';

const DEFAULT_RUNS = 100_000;
const ROUNDS = 3;

/** `recovery [RUNS]`: how long the queue takes to be equal to the ledger again after a FLUSHALL, with so many open runs. */
export async function run(args: readonly string[]): Promise<Figures> {
  const runs = Number(args[0] ?? DEFAULT_RUNS);
  const servers = await startServers();
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
  const redis = new Redis(servers.redisUrl);
  const connection = connectRedis({ url: servers.redisUrl, namespace: db.namespace });
  try {
    await fillLedger(db, runs);
    return { recovery: await recover(servers, { redis, queue: createRunQueue(connection), runs }) };
  } finally {
    redis.disconnect();
    await connection.close();
    await db.close();
    await servers.stop();
  }
}

interface Recovery {
  redis: Redis;
  queue: RunQueue;
  runs: number;
}

/** Seconds, the median of the rounds. */
async function recover(servers: BenchServers, { redis, queue, runs }: Recovery): Promise<number> {
  const filling = systemClock.monotonicMs();
  const { stop } = await startScheduler(servers);
  await filled(queue, runs);
  process.stdout.write(
    `${runs} queued runs; an empty queue filled in ${since(filling).toFixed(1)} s, start of the scheduler included\n`,
  );
  const took: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    // Well into the time between two passes, and none under way.
    await new Promise((resolve) => setTimeout(resolve, 3 * SECOND + (round * SECOND) / ROUNDS));
    const flushed = systemClock.monotonicMs();
    await redis.flushall();
    await filled(queue, runs);
    took.push(since(flushed));
    process.stdout.write(`round ${round}: queue equal to the ledger ${took.at(-1)?.toFixed(1)} s after FLUSHALL\n`);
  }
  await stop();
  return median(took);
}

function since(ms: number): number {
  return (systemClock.monotonicMs() - ms) / SECOND;
}

/** Due from half an hour on: none of them begins meanwhile. */
async function fillLedger(db: Database, runs: number): Promise<void> {
  await insertTasks(db, 1, () => ({ spec: { kind: 'manual' }, nextRunAt: null }));
  const first = systemClock.now().getTime() + 30 * MINUTE;
  const at = (index: number) => new Date(first + index);
  await insertRuns(db, { task: 'bench-0', count: runs, state: 'queued', at, keys: 'task' });
  await db.pool.query('VACUUM ANALYZE run');
}
