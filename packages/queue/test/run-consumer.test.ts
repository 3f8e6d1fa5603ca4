import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConsumer, aLatch, aRun, aRunQueue, eventually } from './support.ts';

test('each run is executed once, with its pool, and nothing of it is left in Redis', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const { executed } = aConsumer(url, { pools: ['a', 'b'] });
  const runs = [aRun({ pool: 'a' }), aRun({ pool: 'b', dispatch: 3 }), aRun({ pool: 'a', delayMs: 30 })];
  await queue.add(runs);
  await eventually(() => expect(executed).toHaveLength(3));
  for (const { pool, runId, dispatch } of runs) expect(executed).toContainEqual({ pool, runId, dispatch });
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
    expect(malformed).toEqual([{ pool: 'default', jobId: 'odd', reason: expect.stringContaining('v: ') }]),
  );
  expect(executed).toEqual([]);
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
  const { executed, errors } = aConsumer(redis.url, { pools: ['default', 'other'] });
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
  const startedMs = performance.now();
  await consumer.close(300);
  expect(performance.now() - startedMs).toBeLessThan(1000);
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
  const startedMs = performance.now();
  await consumer.close(1500);
  expect(performance.now() - startedMs).toBeLessThan(2500);
});
