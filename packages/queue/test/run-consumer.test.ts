import { eventually, stopwatch } from '@escapement/testkit';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConsumer, aLatch, aRun, aRunQueue } from './support.ts';

test('each run is executed once, with its pool, and nothing of it is left in Redis', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const { executed } = aConsumer(url, { queues: ['a', 'b'] });
  const runs = [aRun({ queue: 'a' }), aRun({ queue: 'b', dispatch: 3 }), aRun({ queue: 'a', delayMs: 30 })];
  await queue.add(runs);
  await eventually(() => expect(executed).toHaveLength(3));
  for (const { queue, runId, dispatch } of runs) expect(executed).toContainEqual({ queue, runId, dispatch });
  await eventually(async () => expect(await queue.present(runs)).toEqual([false, false, false]));
});

test('no more than `concurrency` runs of a pool are under way at once', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const latch = aLatch();
  const { consumer, executed } = aConsumer(url, { concurrency: 3, execute: () => latch.opened });
  await queue.add(Array.from({ length: 8 }, () => aRun()));
  await eventually(() => expect(consumer.active).toBe(3));
  expect(await queue.counts(['default'])).toEqual({
    default: { waiting: 5, delayed: 0, active: 3, repeats: 0, bundled: 0 },
  });
  latch.open();
  await eventually(() => expect(executed).toHaveLength(8));
});

test('a rejection of execute is reported, and the job is not tried again', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const run = aRun();
  const { executed, errors } = aConsumer(url, {
    execute: async () => {
      throw new Error('broken pipeline');
    },
  });
  await queue.add([run]);
  await eventually(async () => expect(await queue.present([run])).toEqual([false]));
  expect(executed).toHaveLength(1);
  expect(errors.map((error) => error.message)).toEqual(['broken pipeline']);
});

test('a job that is not one of ours is dropped with a word', async () => {
  const { url } = await ownRedis();
  const foreign = new Queue('default', { connection: { url }, prefix: 'esc:{test:default}' });
  onTestFinished(() => foreign.close());
  await foreign.add('x', { v: 3, runId: 'r' }, { jobId: 'odd' });
  const malformed: unknown[] = [];
  const { executed } = aConsumer(url, { onMalformed: (job) => malformed.push(job) });
  await eventually(() =>
    expect(malformed).toEqual([{ queue: 'default', jobId: 'odd', reason: expect.stringContaining('v: ') }]),
  );
  expect(executed).toEqual([]);
});

test('a run without a job is executed in a free place; where there is none, or the queue rests, it is not', async () => {
  const { url, client } = await ownRedis();
  const latch = aLatch();
  const { consumer, executed } = aConsumer(url, { concurrency: 2, queues: ['a', 'b'], execute: () => latch.opened });
  const [run, queued, another] = [aRun({ queue: 'a' }), aRun({ queue: 'a' }), aRun({ queue: 'a' })];
  expect(consumer.takeWithoutJob(run)).toBe(true);
  expect(await client.keys(`*${run.runId}*`)).toEqual([]);
  await aRunQueue(url).add([queued]);
  await eventually(() => expect(executed.map(({ runId }) => runId)).toEqual([run.runId, queued.runId]));
  expect(consumer.takeWithoutJob(another)).toBe(false);
  expect(consumer.takeWithoutJob(aRun({ queue: 'c' }))).toBe(false);
  latch.open();
  await eventually(() => expect(consumer.active).toBe(0));
  consumer.holdPools(['a']);
  expect(consumer.takeWithoutJob(another)).toBe(false);
  expect(consumer.takeWithoutJob(aRun({ queue: 'b' }))).toBe(true);
  await consumer.pause();
  expect(consumer.takeWithoutJob(aRun({ queue: 'b' }))).toBe(false);
  expect(executed).toHaveLength(3);
});

test('while paused no job is taken, and those that come are there for others', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const { consumer, executed } = aConsumer(url);
  await queue.add([aRun()]);
  await eventually(() => expect(executed).toHaveLength(1));
  await consumer.pause();
  const runs = Array.from({ length: 5 }, () => aRun());
  await queue.add(runs);
  const other = aConsumer(url);
  await eventually(() => expect(other.executed).toHaveLength(5));
  expect(executed).toHaveLength(1);
  consumer.resume();
  await other.consumer.close(3000);
  await queue.add([aRun()]);
  await eventually(() => expect(executed).toHaveLength(2));
});

test('a flush while runs are under way ends none of them and makes no noise; new runs come through', async () => {
  const { url, client } = await ownRedis();
  const queue = aRunQueue(url);
  const latch = aLatch();
  const { consumer, executed, errors } = aConsumer(url, { execute: () => latch.opened });
  await queue.add([aRun(), aRun()]);
  await eventually(() => expect(consumer.active).toBe(2));
  await client.flushall();
  latch.open();
  await queue.add([aRun()]);
  await eventually(() => expect(executed).toHaveLength(3));
  expect(errors).toEqual([]);
});

test('after Redis was killed and came back, runs come through within 5 s, and errors were few', async () => {
  const redis = await ownRedis();
  const queue = aRunQueue(redis.url);
  const { executed, errors } = aConsumer(redis.url, { queues: ['default', 'other'] });
  await queue.add([aRun()]);
  await eventually(() => expect(executed).toHaveLength(1));
  await redis.kill();
  await eventually(() => expect(errors.length).toBeGreaterThan(0));
  await redis.start();
  await eventually(async () => expect(await queue.add([aRun()])).toEqual([{ ok: true }]), 3000);
  await eventually(() => expect(executed).toHaveLength(2), 5000);
  expect(errors.length).toBeLessThan(5);
});

test('a Redis whose memory is full is asked with a back-off, and told of at a bounded rate', async () => {
  const { url, client } = await ownRedis();
  const queue = aRunQueue(url);
  const { executed, errors } = aConsumer(url);
  await queue.add([aRun()]);
  await eventually(() => expect(executed).toHaveLength(1));
  await client.config('SET', 'maxmemory', '1');
  await client.config('RESETSTAT');
  const startedMs = performance.now();
  await eventually(async () => expect(await scriptCalls(client)).toBeGreaterThan(3));
  expect(performance.now() - startedMs).toBeGreaterThan(500);
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.length).toBeLessThan(4);
  await client.config('SET', 'maxmemory', '0');
  await queue.add([aRun()]);
  await eventually(() => expect(executed).toHaveLength(2), 5000);
});

async function scriptCalls(client: Redis): Promise<number> {
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? 0);
}

test('a job whose worker vanished goes to another one within the lease time and 5 s', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const leaseMs = 2000;
  const vanishing = aConsumer(url, { leaseMs, execute: () => new Promise(() => undefined) });
  await queue.add([aRun()]);
  await eventually(() => expect(vanishing.consumer.active).toBe(1));
  await vanishing.consumer.close(0);
  const { executed, errors } = aConsumer(url, { leaseMs });
  await eventually(() => expect(executed).toHaveLength(1), leaseMs + 5000);
  expect(errors).toEqual([]);
});

test('close waits for what is under way', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const latch = aLatch();
  let ended = false;
  const run = aRun();
  const { consumer } = aConsumer(url, {
    execute: async () => {
      await latch.opened;
      ended = true;
    },
  });
  await queue.add([run]);
  await eventually(() => expect(consumer.active).toBe(1));
  const closed = consumer.close(10_000);
  latch.open();
  await closed;
  expect(ended).toBe(true);
  expect(await queue.present([run])).toEqual([false]);
});

test('close resolves in time when runs do not end', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const { consumer } = aConsumer(url, { execute: () => new Promise(() => undefined) });
  await queue.add([aRun()]);
  await eventually(() => expect(consumer.active).toBe(1));
  const tookMs = await stopwatch();
  await consumer.close(300);
  expect(await tookMs()).toBeLessThan(1000);
});

test.each(['killed', 'frozen', 'never there'] as const)('close resolves in time with Redis %s', async (state) => {
  const redis = await ownRedis();
  if (state === 'never there') await redis.kill();
  const { consumer, executed } = aConsumer(redis.url);
  if (state !== 'never there') {
    const queue = aRunQueue(redis.url);
    await queue.add([aRun()]);
    await eventually(() => expect(executed).toHaveLength(1));
  }
  if (state === 'killed') await redis.kill();
  if (state === 'frozen') redis.freeze();
  const tookMs = await stopwatch();
  await consumer.close(1500);
  expect(await tookMs()).toBeLessThan(2500);
});

test('takes nothing of a pool that is held, whatever else it serves, until it is let go', async () => {
  const { url } = await ownRedis();
  const { consumer, executed } = aConsumer(url, { queues: ['held', 'free'] });
  const queue = aRunQueue(url);
  const [first, second, third] = [aRun({ queue: 'held' }), aRun({ queue: 'free' }), aRun({ queue: 'held' })];
  consumer.holdPool('held');
  await queue.add([first, second, third]);
  await eventually(() => expect(executed.map(({ runId }) => runId)).toEqual([second.runId]));
  // A pause and its end of all that the process does leave it as it is.
  await consumer.pause();
  consumer.resume();
  const later = aRun({ queue: 'free' });
  await queue.add([later]);
  await eventually(() => expect(executed.map(({ runId }) => runId)).toEqual([second.runId, later.runId]));
  expect((await queue.counts(['held'])).held).toMatchObject({ waiting: 2, active: 0 });
  consumer.holdPools([]);
  await eventually(() => expect(executed.length).toBe(4));
});

test('the queues of a pool share its places in turns; another pool has places of its own', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const names = ['a', 'a+shell', 'a+code'];
  // One by one: those of a bundle are started together.
  for (const name of names) for (let count = 0; count < 40; count++) await queue.add([aRun({ queue: name })]);
  await queue.add(Array.from({ length: 3 }, () => aRun({ queue: 'b' })));
  let active = 0;
  let most = 0;
  const latch = aLatch();
  const { executed } = aConsumer(url, {
    queues: [...names, 'b'],
    concurrency: 3,
    async execute({ queue: name }) {
      if (name === 'b') return await latch.opened;
      active += 1;
      most = Math.max(most, active);
      await new Promise((resolve) => setTimeout(resolve, 5));
      active -= 1;
    },
  });
  await eventually(() => expect(executed.length).toBe(123));
  latch.open();
  expect(most).toBe(3);
  // The last of each came late: none had the places to itself, which would have been over after 40.
  const order = executed.map((run) => run.queue).filter((name) => name !== 'b');
  for (const name of names) expect(order.lastIndexOf(name)).toBeGreaterThan(70);
});

test('however jobs come to a few places, alone, in bundles or with the answer to a completed one, none is stuck', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const names = ['a', 'a+shell', 'a+code'];
  const bundled = names.flatMap((name) => Array.from({ length: 60 }, () => aRun({ queue: name })));
  await queue.add(bundled);
  for (let count = 0; count < 60; count++) await queue.add(names.map((name) => aRun({ queue: name })));
  let active = 0;
  let most = 0;
  const { executed } = aConsumer(url, {
    queues: names,
    concurrency: 2,
    async execute({ runId }) {
      active += 1;
      most = Math.max(most, active);
      await new Promise((resolve) => setTimeout(resolve, Number(runId.at(-1)) % 4));
      active -= 1;
    },
  });
  await eventually(() => expect(new Set(executed.map(({ runId }) => runId)).size).toBe(360), 20_000);
  expect(most).toBeLessThanOrEqual(2);
});
