import { systemClock } from '@escapement/core';
import { Worker } from 'bullmq';
import { started } from './children.ts';
import { createTally } from './tally.ts';

export interface RawWorkerInput {
  redisUrl: string;
  queue: string;
  prefix: string;
  concurrency: number;
}

/** A worker of BullMQ's own that does nothing, for comparison. Jobs that say when they are due tell how late they are. */
const { redisUrl, queue, prefix, concurrency }: RawWorkerInput = JSON.parse(process.argv[2] ?? '{}');
const tally = createTally();
const worker = new Worker<{ runId: number; dueMs?: number }>(
  queue,
  async ({ data: { runId, dueMs } }) => {
    const nowMs = systemClock.now().getTime();
    if (dueMs !== undefined) tally.started(String(runId), nowMs - dueMs);
    tally.finished(nowMs);
  },
  { connection: { url: redisUrl }, prefix, concurrency },
);
worker.on('error', () => undefined);
await worker.waitUntilReady();
started(() => worker.close());
