import { systemClock } from '@escapement/core';
import { Queue, Worker } from 'bullmq';
import { type BenchServers, createFleet, insertTasks, startServers } from './fleet.ts';

const DEFAULT_RUNS = 20_000;
const CONCURRENCY = 100;
const CHUNK = 1000;
const HOUR = 3_600_000;

/** Raw BullMQ (add + no-op worker) and the whole pipeline (plan to release), one after the other, several rounds. */
export async function run(args: readonly string[]): Promise<void> {
  const runs = Number(args[0] ?? DEFAULT_RUNS);
  const servers = await startServers();
  try {
    process.stdout.write(`${runs} runs a round, one process, concurrency ${CONCURRENCY}, stock Redis and Postgres\n`);
    for (let round = 1; round <= 3; round++) {
      const raw = await rawBullMq(servers, runs);
      const whole = await wholePipeline(servers, runs);
      const ratio = (whole / raw).toFixed(2);
      process.stdout.write(
        `round ${round}: raw BullMQ ${raw.toFixed(0)}/s, whole pipeline ${whole.toFixed(0)}/s, ratio ${ratio}\n`,
      );
    }
  } finally {
    await servers.stop();
  }
}

async function rawBullMq(servers: BenchServers, runs: number): Promise<number> {
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
  const startedMs = systemClock.monotonicMs();
  for (let at = 0; at < runs; at += CHUNK) {
    const size = Math.min(CHUNK, runs - at);
    const opts = { removeOnComplete: true, removeOnFail: true, attempts: 1 };
    await queue.addBulk(
      Array.from({ length: size }, (_, index) => ({ name: 'run', data: { v: 1, runId: at + index }, opts })),
    );
  }
  await finished;
  const seconds = (systemClock.monotonicMs() - startedMs) / 1000;
  await worker.close();
  await queue.obliterate({ force: true });
  await queue.close();
  return runs / seconds;
}

async function wholePipeline(servers: BenchServers, runs: number): Promise<number> {
  let left = runs;
  let done: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    done = resolve;
  });
  const fleet = createFleet(servers, {
    concurrency: CONCURRENCY,
    handler: async () => ({ status: 'succeeded' }),
    onEvent: (event) => {
      if (event.event === 'run_settled' && --left === 0) done();
    },
  });
  await fleet.db.pool.query('TRUNCATE task, run, key_slot, gate, process CASCADE');
  await fleet.start();
  const due = new Date(systemClock.now().getTime() - 1000);
  const startedMs = systemClock.monotonicMs();
  await insertTasks(fleet.db, runs, () => ({ spec: { kind: 'every', everyMs: HOUR }, nextRunAt: due }));
  await fleet.db.pool.query(`SELECT pg_notify('escapement_wake', 'default')`);
  const insertedMs = systemClock.monotonicMs();
  await finished;
  const seconds = (systemClock.monotonicMs() - startedMs) / 1000;
  process.stderr.write(`  tasks inserted in ${(insertedMs - startedMs).toFixed(0)} ms\n`);
  await fleet.stop();
  return runs / seconds;
}
