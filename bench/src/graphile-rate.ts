import { SECOND, systemClock } from '@escapement/core';
import { openDatabase } from '@escapement/store';
import { Logger, makeWorkerUtils, type WorkerUtils } from 'graphile-worker';
import { startChild } from './children.ts';
import { WARM_UP_MS } from './fleet-lateness.ts';
import type { GraphileWorkerInput } from './graphile-worker-process.ts';
import { createMeter } from './meter.ts';
import type { Round } from './rounds.ts';
import type { BenchServers } from './servers.ts';
import { countOf } from './tally.ts';
import { until } from './wait.ts';

const POLL_MS = 100;
/** As long as our planner looks ahead. */
const AHEAD_MS = 5 * SECOND;

/** Jobs of graphile-worker at a steady rate: this process adds those of a second at once, a worker in a process of its own runs them. */
export async function graphileRate(
  servers: BenchServers,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<{ lateness: number[]; usage: Round }> {
  const { databaseUrl } = servers;
  const db = openDatabase({ url: databaseUrl, applicationName: 'bench' });
  const utils = await makeWorkerUtils({ connectionString: databaseUrl, logger: new Logger(() => () => undefined) });
  await utils.migrate();
  const input: GraphileWorkerInput = { databaseUrl, pollMs: POLL_MS };
  const worker = await startChild('./graphile-worker-process.js', input);
  const meter = await createMeter(servers, db, { worker: [worker.pid], adder: [process.pid] });
  const count = countOf([worker]);
  const startMs = systemClock.now().getTime() + AHEAD_MS + SECOND;
  const measuredMs = startMs + WARM_UP_MS;
  const endMs = measuredMs + seconds * SECOND;
  const feeding = feed(utils, { rate, startMs, endMs });
  await until(measuredMs);
  count.record();
  const from = await meter.start();
  await until(endMs);
  const usage = await meter.usage(from, await meter.end());
  const starts = await count.starts();
  await feeding;
  meter.close();
  await worker.stop();
  await utils.release();
  await db.close();
  return {
    lateness: starts.map(([, late]) => late),
    usage: { runs: starts.length, tookMs: endMs - measuredMs, usage },
  };
}

/** Adds the jobs of each second some seconds before. */
async function feed(
  utils: WorkerUtils,
  { rate, startMs, endMs }: { rate: number; startMs: number; endMs: number },
): Promise<void> {
  for (let fromMs = startMs; fromMs < endMs; fromMs += SECOND) {
    await until(fromMs - AHEAD_MS);
    const dues = Array.from({ length: rate }, (_, index) => fromMs + Math.floor((index * SECOND) / rate));
    await utils.addJobs(
      dues.map((dueMs, index) => ({ identifier: 'run', payload: { runId: index, dueMs }, runAt: new Date(dueMs) })),
    );
  }
}
