import { systemClock } from '@escapement/core';
import { Queue, Worker } from 'bullmq';
import { type BenchServers, createFleet, insertTasks, startServers } from './fleet.ts';

const DEFAULT_RUNS = 10_000;
const CONCURRENCY = 100;
const CHUNK = 1000;
const ROUNDS = 3;
const HOUR = 3_600_000;

/** Raw BullMQ (add + no-op worker) and the whole pipeline (plan to release), one after the other in one process. */
export async function run(args: readonly string[]): Promise<void> {
  const runs = Number(args[0] ?? DEFAULT_RUNS);
  const servers = await startServers();
  try {
    process.stdout.write(`${runs} runs a round, one process, concurrency ${CONCURRENCY}, stock Redis and Postgres\n`);
    const raw: Measured[] = [];
    for (let round = 0; round < ROUNDS; round++) raw.push(await rawBullMq(servers, runs));
    const whole = await wholePipeline(servers, runs, ROUNDS);
    report('raw BullMQ', raw);
    report('whole pipeline', whole);
    process.stdout.write(`ratio of the medians: ${(median(whole) / median(raw)).toFixed(2)}\n`);
  } finally {
    await servers.stop();
  }
}

function report(name: string, measured: readonly Measured[]): void {
  const rounds = measured.map(({ perSecond, cpuUs }) => `${perSecond.toFixed(0)} (${cpuUs.toFixed(0)} us)`).join(', ');
  process.stdout.write(
    `${name.padEnd(15)} runs/s (processor time of node a run): ${rounds}; median ${median(measured).toFixed(0)}\n`,
  );
}

function median(measured: readonly Measured[]): number {
  const sorted = measured.map(({ perSecond }) => perSecond).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

async function rawBullMq(servers: BenchServers, runs: number): Promise<Measured> {
  const connection = { url: servers.redisUrl };
  const queue = new Queue('raw', { connection, prefix: '{bench}' });
  let left = runs;
  let done: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    done = resolve;
  });
  const worker = new Worker(
    'raw',
    async () => {
      if (--left === 0) done();
    },
    { connection, prefix: '{bench}', concurrency: CONCURRENCY },
  );
  await worker.waitUntilReady();
  const stop = startMeasuring(runs);
  for (let at = 0; at < runs; at += CHUNK) {
    const size = Math.min(CHUNK, runs - at);
    const opts = { removeOnComplete: true, removeOnFail: true, attempts: 1 };
    await queue.addBulk(
      Array.from({ length: size }, (_, index) => ({ name: 'run', data: { v: 1, runId: at + index }, opts })),
    );
  }
  await finished;
  const measured = stop();
  await worker.close();
  await queue.obliterate({ force: true });
  await queue.close();
  return measured;
}

/** Due tasks to released runs. The tasks have run before, as in a fleet that is up: workers know their definitions. */
async function wholePipeline(servers: BenchServers, runs: number, rounds: number): Promise<Measured[]> {
  let left = 0;
  let done: () => void = () => undefined;
  const fleet = createFleet(servers, {
    concurrency: CONCURRENCY,
    handler: async () => ({ status: 'succeeded' }),
    onEvent: (event) => {
      if (event.event === 'run_settled' && --left === 0) done();
    },
  });
  await insertTasks(fleet.db, runs, () => ({ spec: { kind: 'every', everyMs: HOUR }, nextRunAt: NEVER }));
  await fleet.start();
  const measured: Measured[] = [];
  for (let round = 0; round <= rounds; round++) {
    left = runs;
    const finished = new Promise<void>((resolve) => {
      done = resolve;
    });
    await fleet.db.pool.query('UPDATE task SET plan_seq = plan_seq + 1, next_run_at = $1', [NEVER]);
    await fleet.db.pool.query('VACUUM ANALYZE');
    const stop = startMeasuring(runs);
    await fleet.db.pool.query(DUE_NOW);
    await finished;
    measured.push(stop());
  }
  await fleet.stop();
  return measured.slice(1);
}

const NEVER = new Date('2100-01-01T00:00:00Z');
const DUE_NOW = `WITH due AS (UPDATE task SET plan_seq = plan_seq + 1, next_run_at = date_trunc('milliseconds', now()))
  SELECT pg_notify('escapement_wake', 'default')`;

interface Measured {
  perSecond: number;
  /** Processor time of this process alone, for each run. Microseconds. */
  cpuUs: number;
}

function startMeasuring(runs: number): () => Measured {
  const startedMs = systemClock.monotonicMs();
  const startCpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(startCpu);
    return { perSecond: (runs * 1000) / (systemClock.monotonicMs() - startedMs), cpuUs: (user + system) / runs };
  };
}
