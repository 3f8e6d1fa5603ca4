import { SECOND } from '@escapement/core';
import type { BenchApi } from './api-process.ts';
import { pause } from './apps.ts';
import { rssMbOf } from './cpu.ts';
import { figure, quantile } from './table.ts';
import type { Figures } from './targets.ts';
import { startWatchers } from './watchers.ts';

/** Of the clients, those that read all they hear. */
const READERS = 10;
const SETTLE_MS = 10 * SECOND;

/** Clients of events watch all along: the most memory that the API has, and how old an end of a run is when they hear of it. */
export async function watch(
  api: BenchApi,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<Figures> {
  const watchers = await startWatchers({ url: api.url, token: api.token, clients, readers: READERS });
  try {
    await pause(SETTLE_MS);
    await watchers.report();
    let mostMb = 0;
    for (let second = 0; second < seconds; second++) {
      await pause(SECOND);
      mostMb = Math.max(mostMb, rssMbOf(api.pid));
    }
    const { agesMs, bytes, resyncs, open } = await watchers.report();
    const ages = [0.5, 0.95, 0.99, 1].map((share) => figure(quantile(agesMs, share)));
    process.stdout.write(
      `${open} of ${clients} clients still watch; took ${figure(bytes / seconds / 1e6, 1)} MB/s; resync ${resyncs}; the API has ` +
        `${figure(mostMb)} MB; ends of runs are heard of after p50 ${ages[0]}, p95 ${ages[1]}, p99 ${ages[2]}, max ${ages[3]} ms\n`,
    );
    const held = open === clients && resyncs === 0;
    return { apiWatchersRss: held ? mostMb : Number.NaN, apiDelta: held ? quantile(agesMs, 0.99) : Number.NaN };
  } finally {
    await watchers.stop();
  }
}
