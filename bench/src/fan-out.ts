import { readFile } from 'node:fs/promises';
import { BATCH_PAGE_ITEMS, callAnswers, type Handler, systemClock } from '@escapement/core';
import { saveTask, triggerTask } from '@escapement/operations';
import { batchesOfRun } from '@escapement/store';
import { createFleet, startServers } from './fleet.ts';

const ITEMS = 20_000;
const CONCURRENCY = 200;
const SAMPLE_MS = 250;
const MB = 1024 * 1024;

/** A run fans out to no-op runs and reads their results in the order of the items: items a second, memory of worker and scheduler. */
export async function run(args: readonly string[]): Promise<void> {
  const items = Number(args[0] ?? ITEMS);
  const servers = await startServers();
  const times = { filledMs: 0, readMs: 0 };
  const fleet = createFleet(servers, { concurrency: 100, handler: handlerOf(items, times), onEvent: () => undefined });
  const peaks = { worker: 0, scheduler: 0 };
  await fleet.start();
  const sampling = setInterval(() => void sample(peaks, fleet.schedulerPid), SAMPLE_MS);
  try {
    for (const name of ['parent', 'child'])
      await saveTask(fleet.db, { name, handler: { type: 'code', name } }, { source: 'bench', who: 'bench' });
    await sample(peaks, fleet.schedulerPid);
    const before = { ...peaks };
    const startedMs = systemClock.monotonicMs();
    const id = await triggerTask(fleet.db, 'parent', { who: 'bench' });
    while ((await batchesOfRun(fleet.db, id))[0]?.state !== 'done' || times.readMs === 0)
      await new Promise((resolve) => setTimeout(resolve, 100));
    const tookMs = systemClock.monotonicMs() - startedMs;
    process.stdout.write(
      `fan-out: ${items} items in ${(tookMs / 1000).toFixed(1)} s: ${((items * 1000) / tookMs).toFixed(0)} items/s; ` +
        `recorded after ${(times.filledMs / 1000).toFixed(1)} s; RSS before and at most: worker ${before.worker} and ${peaks.worker} MB, ` +
        `scheduler ${before.scheduler} and ${peaks.scheduler} MB\n`,
    );
  } finally {
    clearInterval(sampling);
    await fleet.stop();
    await servers.stop();
  }
}

function handlerOf(items: number, times: { filledMs: number; readMs: number }): Handler {
  return async ({ run: { taskName }, ask }) => {
    if (taskName === 'child') return { status: 'succeeded', output: 1 };
    const startedMs = systemClock.monotonicMs();
    const opened = callAnswers.batch_open.parse(
      await ask({
        call: 'batch_open',
        name: '1',
        task: 'child',
        order: 'none',
        onError: 'continue',
        concurrency: CONCURRENCY,
      }),
    );
    for (let first = 0; first < items; first += BATCH_PAGE_ITEMS) {
      const page = Array.from({ length: Math.min(BATCH_PAGE_ITEMS, items - first) }, (_, index) => ({
        n: first + index,
      }));
      await ask({ call: 'batch_add', batchId: opened.id, first, items: page });
    }
    await ask({ call: 'batch_seal', batchId: opened.id });
    times.filledMs = systemClock.monotonicMs() - startedMs;
    for (let from = 0; ; ) {
      const page = callAnswers.batch_results.parse(await ask({ call: 'batch_results', batchId: opened.id, from }));
      from += page.results.length;
      if (page.over) break;
    }
    times.readMs = systemClock.monotonicMs() - startedMs;
    return { status: 'succeeded' };
  };
}

async function sample(peaks: { worker: number; scheduler: number }, schedulerPid: number | undefined): Promise<void> {
  peaks.worker = Math.max(peaks.worker, Math.round(process.memoryUsage.rss() / MB));
  if (schedulerPid === undefined) return;
  const status = await readFile(`/proc/${schedulerPid}/status`, 'utf8').catch(() => '');
  const kb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  peaks.scheduler = Math.max(peaks.scheduler, Math.round(kb / 1024));
}
