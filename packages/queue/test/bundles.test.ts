import { newRunId, systemClock } from '@escapement/core';
import { createQueueContents, type RunJob } from '@escapement/queue';
import { eventually } from '@escapement/testkit';
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConnection, aConsumer, aLatch, aRunQueue } from './support.ts';

/** As the queue has it. */
const WINDOW_MS = 200;

const BASE = 'esc:{test:default}:default';

let made = 0;

function runs(count: number, changes: Partial<RunJob> = {}): RunJob[] {
  return Array.from({ length: count }, () => {
    made += 1;
    const runId = newRunId(new Date(systemClock.now().getTime() + made));
    return { queue: 'default', runId, dispatch: 1, delayMs: 0, ...changes };
  });
}

const refsOf = (jobs: readonly RunJob[]) => jobs.map(({ queue, runId, dispatch }) => ({ queue, runId, dispatch }));
const idsOf = (jobs: readonly { runId: string }[]) => jobs.map(({ runId }) => runId);
const waitingJobs = (client: Redis) => client.lrange(`${BASE}:wait`, 0, -1);
const entries = (client: Redis) => client.hlen(`${BASE}:bundled`);

async function pageOf(url: string) {
  const { jobs, next } = await createQueueContents(aConnection(url)).page('default', undefined, 1000);
  return { jobs, next };
}

test('many that are due at once become few jobs, and all are known by themselves', async () => {
  const { url, client } = await ownRedis();
  const queue = aRunQueue(url);
  const due = runs(100);
  const later = runs(50, { delayMs: 60_000 });
  expect(await queue.add([...due, ...later])).toEqual(Array.from({ length: 150 }, () => ({ ok: true })));
  expect(await waitingJobs(client)).toHaveLength(4);
  expect(await queue.counts(['default'])).toEqual({
    default: { waiting: 4, delayed: 2, active: 0, repeats: 0, bundled: 144 },
  });
  expect(new Set(await queue.present([...due, ...later]))).toEqual(new Set([true]));
  const contents = createQueueContents(aConnection(url));
  const places = await contents.places([...due.slice(0, 1), ...later.slice(0, 1), ...runs(1)]);
  expect(places.map(({ at }) => at)).toEqual(['waiting', 'delayed', 'gone']);
  expect((await pageOf(url)).jobs).toEqual(expect.arrayContaining(refsOf(due)));
});

test('pages go through bundles and single jobs, and none is left out', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const all = [runs(60), runs(7), runs(30, { delayMs: 60_000 })];
  for (const some of all) await queue.add(some);
  const contents = createQueueContents(aConnection(url));
  const found: string[] = [];
  let page = await contents.page('default', undefined, 10);
  for (found.push(...idsOf(page.jobs)); page.next; found.push(...idsOf(page.jobs))) {
    page = await contents.page('default', page.next, 10);
  }
  expect(found.sort()).toEqual(idsOf(all.flat()).sort());
});

test('a bundle that somebody has forged keeps nobody from looking at the others', async () => {
  const { url, client } = await ownRedis();
  const queue = aRunQueue(url);
  const due = runs(60);
  await queue.add(due);
  const [bundle] = await waitingJobs(client);
  const forged = [[1], ['x'], [{}, 1], ['x', 'y'], 7, null, 'x', [null, 1], { a: 1 }];
  await client.hset(`${BASE}:${bundle}`, 'data', JSON.stringify({ runs: forged }));
  const { jobs } = await pageOf(url);
  expect(idsOf(due)).toEqual(expect.arrayContaining(idsOf(jobs)));
  expect(jobs).not.toEqual([]);
  await queue.remove(due);
  await createQueueContents(aConnection(url)).tidy('default');
});

test('adding runs again that are in bundles changes nothing, until the bundles are gone', async () => {
  const { url, client } = await ownRedis();
  const queue = aRunQueue(url);
  const some = runs(40);
  await queue.add(some);
  const before = await waitingJobs(client);
  await queue.add([...some, ...some]);
  expect(await waitingJobs(client)).toEqual(before);
  for (const job of before) await client.del(`${BASE}:${job}`);
  expect(new Set(await queue.present(some))).toEqual(new Set([false]));
  await queue.add(some);
  expect(new Set(await queue.present(some))).toEqual(new Set([true]));
});

test('after a flush nothing of bundles is left', async () => {
  const { url, client } = await ownRedis();
  const queue = aRunQueue(url);
  const some = runs(40);
  await queue.add(some);
  await client.flushall();
  expect(new Set(await queue.present(some))).toEqual(new Set([false]));
});

test('a run that is removed is in its bundle no more, and the last one takes the bundle along', async () => {
  const { url, client } = await ownRedis();
  const queue = aRunQueue(url);
  const some = runs(20);
  const [first, ...others] = some;
  await queue.add(some);
  expect(await queue.remove(first ? [first] : [])).toBe(1);
  expect(await queue.present(some.slice(0, 2))).toEqual([false, true]);
  expect(idsOf((await pageOf(url)).jobs)).toEqual(idsOf(others));
  expect(await queue.remove(others)).toBe(19);
  expect(await waitingJobs(client)).toEqual([]);
  expect(await queue.counts(['default'])).toMatchObject({ default: { waiting: 0, bundled: 0 } });
});

test('each run of a bundle is executed once, as many at once as there are places, and nothing is left', async () => {
  const { url, client } = await ownRedis();
  const queue = aRunQueue(url);
  let most = 0;
  const { consumer, executed } = aConsumer(url, {
    concurrency: 10,
    execute: async () => {
      most = Math.max(most, consumer.active);
      await new Promise((resolve) => setTimeout(resolve, 1));
    },
  });
  const some = runs(300);
  await queue.add(some);
  await eventually(() => expect(executed).toHaveLength(300));
  expect(most).toBe(10);
  expect(idsOf(executed).sort()).toEqual(idsOf(some).sort());
  await eventually(async () => expect(new Set(await queue.present(some))).toEqual(new Set([false])));
  await eventually(async () => expect(await client.keys(`${BASE}:b*`)).toEqual([]));
});

test('a worker with fewer places gives the rest back, in front and single; another one takes it', async () => {
  const { url, client } = await ownRedis();
  const queue = aRunQueue(url);
  const latch = aLatch();
  const one = aConsumer(url, { concurrency: 3, execute: () => latch.opened });
  const some = runs(20);
  await queue.add(some);
  await eventually(() => expect(one.executed).toHaveLength(3));
  await eventually(async () => expect(await waitingJobs(client)).toHaveLength(17));
  await queue.add(runs(1));
  expect(one.consumer.active).toBe(3);
  expect(
    idsOf((await pageOf(url)).jobs)
      .reverse()
      .slice(0, 17),
  ).toEqual(idsOf(some.slice(3)));
  expect(new Set(await queue.present(some))).toEqual(new Set([true]));
  const two = aConsumer(url);
  await eventually(() => expect(two.executed).toHaveLength(18));
  latch.open();
  expect(idsOf(two.executed).slice(0, 17)).toEqual(idsOf(some.slice(3)));
});

test('a place of a bundle whose other runs go on is used', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const latch = aLatch();
  const [long = '', ...others] = idsOf(runs(20));
  const { executed } = aConsumer(url, {
    concurrency: 20,
    execute: ({ runId }) => (runId === long ? latch.opened : Promise.resolve()),
  });
  await queue.add([long, ...others].map((runId) => ({ queue: 'default', runId, dispatch: 1, delayMs: 0 })));
  await eventually(() => expect(executed).toHaveLength(20));
  const next = runs(5);
  await queue.add(next);
  await eventually(() => expect(executed).toHaveLength(25));
  const contents = createQueueContents(aConnection(url));
  const placesOf = async (runId: string) => (await contents.places([{ queue: 'default', runId, dispatch: 1 }]))[0]?.at;
  expect(await placesOf(long)).toBe('taken');
  await eventually(async () => expect(await placesOf(others[0] ?? '')).toBe('gone'));
  latch.open();
  await eventually(async () => expect(await placesOf(long)).toBe('gone'));
});

test('a bundle of a worker that vanished goes to another one as a whole', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const leaseMs = 2000;
  const vanishing = aConsumer(url, { leaseMs, concurrency: 30, execute: () => new Promise(() => undefined) });
  const some = runs(20);
  await queue.add(some);
  await eventually(() => expect(vanishing.consumer.active).toBe(20));
  await vanishing.consumer.close(0);
  const { executed } = aConsumer(url, { leaseMs });
  await eventually(() => expect(executed).toHaveLength(20), leaseMs + 5000);
});

/** Runs of one window: the first is due after `firstMs`, the others `laterMs` later. */
function ofAWindow(count: number, firstMs: number, laterMs: number): RunJob[] {
  const nowMs = systemClock.now().getTime();
  const first = Math.ceil((nowMs + firstMs) / WINDOW_MS) * WINDOW_MS;
  return runs(count).map((run, at) => {
    const dueMs = first + (at === 0 ? 0 : laterMs);
    return { ...run, dueMs, delayMs: dueMs - nowMs };
  });
}

test('a run that is due later in its window leaves its place to others until then', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const latch = aLatch();
  const some = ofAWindow(6, 100, WINDOW_MS - 1);
  const [urgent] = runs(1);
  await queue.add(some);
  await eventually(async () => expect(await queue.counts(['default'])).toMatchObject({ default: { waiting: 1 } }));
  await queue.add(urgent ? [urgent] : []);
  // Its clock stands: the first run is due, the others are not for some time.
  const now = () => new Date(some[0]?.dueMs ?? 0);
  const { executed } = aConsumer(url, { now, concurrency: 2, execute: () => latch.opened });
  const begin = idsOf([...some.slice(0, 1), ...(urgent ? [urgent] : [])]).sort();
  await eventually(() => expect(idsOf(executed).sort()).toEqual(begin));
  latch.open();
  await eventually(() => expect(executed).toHaveLength(7));
});

test('runs of a window are prepared together, before the first of their stretch is due and no sooner', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const aheadMs: number[] = [];
  const some = ofAWindow(20, 100, 0).map((run, at) => ({ ...run, dueMs: (run.dueMs ?? 0) + 9 * at }));
  const stretchOf = (runId: string) => Math.floor((some.find((run) => run.runId === runId)?.dueMs ?? 0) / 50) * 50;
  aConsumer(url, {
    prepareMs: 20,
    prepareTogetherMs: 50,
    concurrency: 30,
    execute: async ({ runId }) => void aheadMs.push(stretchOf(runId) - systemClock.now().getTime()),
  });
  await queue.add(some);
  await eventually(() => expect(aheadMs).toHaveLength(20));
  expect(Math.max(...aheadMs)).toBeLessThanOrEqual(20);
});

test('a run of a window that finds no place goes back, and all are executed once', async () => {
  const { url, client } = await ownRedis();
  const queue = aRunQueue(url);
  const latch = aLatch();
  const some = ofAWindow(3, 100, 1);
  const { executed } = aConsumer(url, { concurrency: 1, execute: () => latch.opened });
  await queue.add(some);
  await eventually(async () => expect(await waitingJobs(client)).toHaveLength(2));
  expect(idsOf(executed)).toEqual(idsOf(some.slice(0, 1)));
  latch.open();
  await eventually(() => expect(idsOf(executed).sort()).toEqual(idsOf(some).sort()));
});

test('a worker that pauses gives back what is due later as a job that is due then', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const latch = aLatch();
  const [near, ...later] = ofAWindow(6, 100, WINDOW_MS - 1);
  const all = near ? [near, ...later] : [];
  await queue.add(all);
  await eventually(async () => expect(await queue.counts(['default'])).toMatchObject({ default: { waiting: 1 } }));
  // Its clock stands: the others do not become due.
  const now = () => new Date(near?.dueMs ?? 0);
  const { consumer, executed } = aConsumer(url, { now, concurrency: 2, execute: () => latch.opened });
  await eventually(() => expect(executed).toHaveLength(1));
  await consumer.pause();
  await eventually(async () =>
    expect(await queue.counts(['default'])).toMatchObject({ default: { waiting: 0, delayed: 5 } }),
  );
  latch.open();
});

test('while paused a worker holds nothing of a bundle', async () => {
  const { url, client } = await ownRedis();
  const queue = aRunQueue(url);
  const latch = aLatch();
  const { consumer, executed } = aConsumer(url, { concurrency: 5, execute: () => latch.opened });
  await queue.add(runs(20));
  await eventually(() => expect(executed).toHaveLength(5));
  await consumer.pause();
  await queue.add(runs(40));
  await eventually(async () => expect(await waitingJobs(client)).toHaveLength(17));
  latch.open();
  const other = aConsumer(url);
  await eventually(() => expect(other.executed).toHaveLength(55));
  expect(executed).toHaveLength(5);
});

test('a flush while bundles are under way makes no noise', async () => {
  const { url, client } = await ownRedis();
  const queue = aRunQueue(url);
  const latch = aLatch();
  const { executed, errors } = aConsumer(url, { concurrency: 30, execute: () => latch.opened });
  await queue.add(runs(20));
  await eventually(() => expect(executed).toHaveLength(20));
  await client.flushall();
  latch.open();
  await queue.add(runs(20));
  await eventually(() => expect(executed).toHaveLength(40));
  await eventually(async () => expect(await entries(client)).toBe(0));
  expect(errors).toEqual([]);
});

test('what a bundle that is gone has left is tidied up, but not while it is new', async () => {
  const { url, client } = await ownRedis();
  const contents = createQueueContents(aConnection(url));
  await aRunQueue(url).add(runs(20));
  await client.hset(
    `${BASE}:bundled`,
    'r_x_1',
    'b_100_x',
    'r_y_1',
    `b_${Math.floor(systemClock.now().getTime() / 1000)}_y`,
  );
  await client.sadd(`${BASE}:bundles`, 'b_100_x');
  await contents.tidy('default');
  expect(await client.hmget(`${BASE}:bundled`, 'r_x_1', 'r_y_1')).toEqual([null, expect.anything()]);
  expect(await entries(client)).toBe(21);
  expect(await client.scard(`${BASE}:bundles`)).toBe(1);
});
