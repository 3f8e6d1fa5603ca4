import { systemClock } from '@escapement/core';
import { openDatabase } from '@escapement/store';
import { Queue } from 'bullmq';
import { type Child, startChild } from './children.ts';
import { createMeter } from './meter.ts';
import type { RawWorkerInput } from './raw-worker-process.ts';
import type { Round } from './rounds.ts';
import type { BenchServers } from './servers.ts';
import { countOf } from './tally.ts';

const CHUNK = 1000;
export const RAW_JOB = { removeOnComplete: true, removeOnFail: true, attempts: 1 };

export interface Raw {
  queue: Queue;
  worker: Child;
  stop(): Promise<void>;
}

/** BullMQ alone: this process adds, a worker in a process of its own does nothing, as scheduler and worker of a fleet. */
export async function startRaw({ redisUrl }: BenchServers, concurrency: number): Promise<Raw> {
  const prefix = '{bench}';
  const queue = new Queue('raw', { connection: { url: redisUrl }, prefix });
  const input: RawWorkerInput = { redisUrl, queue: 'raw', prefix, concurrency };
  const worker = await startChild('./raw-worker-process.js', input);
  return {
    queue,
    worker,
    async stop() {
      await worker.stop();
      await queue.obliterate({ force: true });
      await queue.close();
    },
  };
}

export async function rawRounds(
  servers: BenchServers,
  { runs, rounds, concurrency }: { runs: number; rounds: number; concurrency: number },
): Promise<Round[]> {
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench' });
  const { queue, worker, stop } = await startRaw(servers, concurrency);
  const meter = await createMeter(servers, db, { worker: [worker.pid], adder: [process.pid] });
  const count = countOf([worker]);
  const measured: Round[] = [];
  // The first round is there to warm up.
  for (let round = 0; round <= rounds; round++) {
    const from = await meter.start();
    const startedMs = systemClock.now().getTime();
    await addAll(queue, runs);
    const tookMs = (await count.finished(runs)) - startedMs;
    measured.push({ runs, tookMs, usage: await meter.usage(from, await meter.end()) });
  }
  meter.close();
  await stop();
  await db.close();
  return measured.slice(1);
}

async function addAll(queue: Queue, runs: number): Promise<void> {
  for (let at = 0; at < runs; at += CHUNK) {
    const size = Math.min(CHUNK, runs - at);
    await queue.addBulk(
      Array.from({ length: size }, (_, index) => ({ name: 'run', data: { v: 1, runId: at + index }, opts: RAW_JOB })),
    );
  }
}
