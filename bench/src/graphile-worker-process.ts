import { systemClock } from '@escapement/core';
import { Logger, run } from 'graphile-worker';
import { started } from './children.ts';
import { createTally } from './tally.ts';

export interface GraphileWorkerInput {
  databaseUrl: string;
  pollMs: number;
}

/** A worker of graphile-worker, as its documents say it is fastest. Its task does nothing. */
const { databaseUrl, pollMs }: GraphileWorkerInput = JSON.parse(process.argv[2] ?? '{}');
const tally = createTally();
const runner = await run({
  connectionString: databaseUrl,
  noHandleSignals: true,
  preset: {
    worker: {
      concurrentJobs: 24,
      maxPoolSize: 25,
      pollInterval: pollMs,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      logger: new Logger(() => () => undefined),
    },
  },
  taskList: {
    async run(payload) {
      const { runId, dueMs } = payload as { runId: number; dueMs: number };
      const nowMs = systemClock.now().getTime();
      tally.started(String(runId), nowMs - dueMs);
      tally.finished(nowMs);
    },
  },
});
started(() => runner.stop());
