import type { EngineEvent } from '@escapement/core';
import { systemClock } from '@escapement/core';
import { createWorker } from '@escapement/worker';
import { started } from './children.ts';
import { BENCH_HANDLERS, type BenchHandlerName } from './handlers.ts';
import { surroundings } from './surroundings.ts';
import { switchedMetrics } from './switched-metrics.ts';
import { createTally } from './tally.ts';

export interface WorkerInput {
  databaseUrl: string;
  redisUrl: string;
  index: number;
  concurrency: number;
  handler: BenchHandlerName;
}

const { index, concurrency, handler, ...addresses }: WorkerInput = JSON.parse(process.argv[2] ?? '{}');
const around = surroundings('worker', index, addresses);
const tally = createTally();
const sendMetrics = switchedMetrics(around);
const handlers = BENCH_HANDLERS[handler]();
const worker = createWorker({ ...around, emit: count, handlers: () => handlers, concurrency });
await worker.start();
started(async () => {
  await worker.stop(1000);
  await around.db.close();
});

function count(event: EngineEvent): void {
  if (event.event === 'run_finished') tally.finished(systemClock.now().getTime());
  if (event.event === 'run_started') tally.started(event.run, event.latenessMs);
  sendMetrics(event);
}
