import { type Handler, SECOND, seededRandom, systemClock } from '@escapement/core';
import { setPool, triggerTask } from '@escapement/operations';
import { createRateKeeper } from '@escapement/scheduler';
import { by, stopwatch } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import type { Worker } from '@escapement/worker';
import { Redis } from 'ioredis';
import { afterAll, expect, it } from 'vitest';

const SEEDS = [1, 2, 3];
const RUNS = 30;

const fleet = await testFleet();
const redis = new Redis(fleet.redis.url);
afterAll(() => redis.disconnect());

const handler: Handler = async () => {
  await new Promise((resolve) => setImmediate(resolve));
  return { status: 'succeeded' };
};

/** When the starts of tasks' runs were, in their order: each attempt is one. */
async function startsOf(...tasks: string[]): Promise<{ id: string; at: number }[]> {
  const { rows } = await fleet.db.pool.query<{ id: string; at: Date }>(
    `WITH of_task AS (SELECT r.* FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = ANY ($1))
     SELECT id, started_at AS at FROM of_task WHERE started_at IS NOT NULL
     UNION ALL SELECT a.run_id, a.started_at FROM attempt a JOIN of_task r ON r.id = a.run_id
     ORDER BY at`,
    [tasks],
  );
  return rows.map(({ id, at }) => ({ id, at: at.getTime() }));
}

/** How far apart starts are that may not be in one window. */
function gapsOf(starts: readonly { at: number }[], limit: number): number[] {
  return starts.slice(limit).map(({ at }, index) => at - (starts[index]?.at ?? Number.NaN));
}

async function open(task: string): Promise<number> {
  return (await fleet.runs(task)).filter(({ state }) => state !== 'succeeded').length;
}

it('starts on the dot what waits, without a scheduler: the worker that put it there looks', async () => {
  const rate = { limit: 2, perMs: 400 };
  await fleet.save({ name: 'alone', overlap: 'allow', rate });
  await fleet.startWorker(handler, 'alone');
  for (let made = 0; made < 8; made++) await triggerTask(fleet.db, 'alone', { by: by('test') });
  const fairMs = await stopwatch();
  await fleet.dispatcher.runOnce();
  while ((await open('alone')) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await fairMs()).toBeLessThan(4 * (rate.perMs + 150));
  const gaps = gapsOf(await startsOf('alone'), rate.limit);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(rate.perMs);
});

/** Workers die, Redis is flushed, at moments of chance; a keeper and passes of the reconciler go on. */
async function ordeal(tasks: readonly string[], random: () => number): Promise<void> {
  const name = tasks.join('-');
  const workers: Worker[] = [
    await fleet.startWorker(handler, `${name}-1`),
    await fleet.startWorker(handler, `${name}-2`),
  ];
  const left = async () => (await Promise.all(tasks.map(open))).reduce((sum, each) => sum + each, 0);
  const keeper = createRateKeeper({
    db: fleet.as.scheduler,
    enqueue: async (runs) => void (await fleet.dispatcher.enqueue(runs)),
    mayWork: () => true,
    onError: () => undefined,
  });
  keeper.start();
  let born = 2;
  let made = 0;
  const until = systemClock.monotonicMs() + 60 * SECOND;
  while (made < RUNS || (await left()) > 0) {
    if (systemClock.monotonicMs() > until) throw new Error(`${await left()} runs of ${name} were not done`);
    for (let burst = Math.floor(random() * 8); burst > 0 && made < RUNS; burst--, made++)
      await triggerTask(fleet.db, tasks[made % tasks.length] ?? '', { by: by('test') });
    await fleet.dispatcher.runOnce();
    if (random() < 0.1) await redis.flushdb();
    if (random() < 0.1) {
      void workers.shift()?.stop(0);
      workers.push(await fleet.startWorker(handler, `${name}-${++born}`));
    }
    await fleet.reconcile();
  }
  await keeper.stop();
  await Promise.all(workers.map((worker) => worker.stop(0)));
}

it.each(SEEDS)(
  'never starts more than the limit in any window, keeps the order, loses none (seed %i)',
  { timeout: 90_000 },
  async (seed) => {
    const random = seededRandom(seed).next;
    const rate = { limit: 1 + Math.floor(random() * 6), perMs: 200 + Math.floor(random() * 600) };
    const overlap = random() < 0.5 ? 'allow' : 'wait-all';
    const task = `ordeal-${seed}`;
    await fleet.save({ name: task, overlap, limit: overlap === 'allow' ? 1 : 1 + Math.floor(random() * 3), rate });
    await ordeal([task], random);
    const starts = await startsOf(task);
    expect(new Set(starts.map(({ id }) => id)).size).toBe(RUNS);
    expect(Math.min(...gapsOf(starts, rate.limit))).toBeGreaterThanOrEqual(rate.perMs);
    if (overlap !== 'wait-all') return;
    const firsts = [...new Set(starts.map(({ id }) => id))];
    expect(firsts).toEqual(firsts.toSorted());
  },
);

it.each(SEEDS)('keeps the rate of a pool and those of its tasks (seed %i)', { timeout: 90_000 }, async (seed) => {
  const random = seededRandom(seed + 100).next;
  const rate = { limit: 2 + Math.floor(random() * 5), perMs: 200 + Math.floor(random() * 400) };
  const own = { limit: 1 + Math.floor(random() * 3), perMs: 200 + Math.floor(random() * 400) };
  const [free, slow] = [`pool-free-${seed}`, `pool-slow-${seed}`];
  await setPool(fleet.db, 'default', { rate }, by('test'));
  await fleet.save({ name: free, overlap: 'wait-all', limit: 3 });
  await fleet.save({ name: slow, overlap: 'allow', rate: own });
  await ordeal([free, slow], random);
  await setPool(fleet.db, 'default', { rate: null }, by('test'));
  const starts = await startsOf(free, slow);
  expect(new Set(starts.map(({ id }) => id)).size).toBe(RUNS);
  expect(Math.min(...gapsOf(starts, rate.limit))).toBeGreaterThanOrEqual(rate.perMs);
  expect(Math.min(...gapsOf(await startsOf(slow), own.limit))).toBeGreaterThanOrEqual(own.perMs);
});
