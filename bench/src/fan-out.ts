import { actionOf, processPrincipal, systemClock } from '@escapement/core';
import { saveTask, triggerTask } from '@escapement/operations';
import { rssMbOf } from './cpu.ts';
import { type BenchFleet, startFleet } from './fleet.ts';
import type { FanOutTimes } from './handlers.ts';
import { startServers } from './servers.ts';
import type { Figures } from './targets.ts';

const ITEMS = 20_000;
const SAMPLE_MS = 250;
const WHO = { source: 'bench', by: actionOf(processPrincipal('bench')) };

/** `fan-out [ITEMS]`: a run fans out to no-op runs and reads their results in the order of the items: items a second, memory. */
export async function run(args: readonly string[]): Promise<Figures> {
  const items = Number(args[0] ?? ITEMS);
  const servers = await startServers();
  try {
    const fleet = await startFleet(servers, { handler: 'fanOut' });
    const { tookMs, times, before, most } = await measure(fleet, items).finally(fleet.stop);
    process.stdout.write(
      `\nfan-out: ${items} items in ${(tookMs / 1000).toFixed(1)} s: ${((items * 1000) / tookMs).toFixed(0)} items/s; ` +
        `recorded after ${(times.filledMs / 1000).toFixed(1)} s; RSS before and at most: worker ${before.worker} and ${most.worker} MB, ` +
        `scheduler ${before.scheduler} and ${most.scheduler} MB\n`,
    );
    return { fanOut: (items * 1000) / tookMs };
  } finally {
    await servers.stop();
  }
}

interface Memory {
  worker: number;
  scheduler: number;
}

async function measure(
  fleet: BenchFleet,
  items: number,
): Promise<{ tookMs: number; times: FanOutTimes; before: Memory; most: Memory }> {
  for (const name of ['parent', 'child']) await saveTask(fleet.db, { name, handler: { type: 'code', name } }, WHO);
  const before = memoryOf(fleet);
  const most = { ...before };
  const sampling = setInterval(() => {
    const now = memoryOf(fleet);
    most.worker = Math.max(most.worker, now.worker);
    most.scheduler = Math.max(most.scheduler, now.scheduler);
  }, SAMPLE_MS);
  const startedMs = systemClock.now().getTime();
  const id = await triggerTask(fleet.db, 'parent', { by: WHO.by, payload: items });
  // The one that fans out is the last to end.
  const endedMs = await fleet.count.finished(items + 1).finally(() => clearInterval(sampling));
  const { rows } = await fleet.db.pool.query<{ output: FanOutTimes }>('SELECT output FROM run WHERE id = $1', [id]);
  const times = rows[0]?.output ?? { filledMs: Number.NaN, readMs: Number.NaN };
  return { tookMs: endedMs - startedMs, times, before, most };
}

function memoryOf({ workers, scheduler }: BenchFleet): Memory {
  const worker = workers.reduce((sum, { pid }) => sum + rssMbOf(pid), 0);
  return { worker: Math.round(worker), scheduler: Math.round(rssMbOf(scheduler.pid)) };
}
