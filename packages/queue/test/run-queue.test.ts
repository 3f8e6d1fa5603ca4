import { eventually, stopwatch } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { createQueueContents, createRunQueue } from '../src/index.ts';
import { ownRedis } from './redis-server.ts';
import { aConnection, aConsumer, aRun, aRunQueue } from './support.ts';

test('adding a run twice under one dispatch number changes nothing', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const run = aRun();
  expect(await queue.add([run, run])).toEqual([{ ok: true }, { ok: true }]);
  expect(await queue.add([run])).toEqual([{ ok: true }]);
  expect(await queue.counts(['default'])).toEqual({
    default: { waiting: 1, delayed: 0, active: 0, repeats: 0, bundled: 0 },
  });
});

// What is gathered when BullMQ defines its scripts does not know them: ioredis then throws where nobody can catch it.
test('the first script of a connection goes with other commands of the moment', async () => {
  const { url } = await ownRedis();
  const connection = aConnection(url);
  const queue = createRunQueue(connection);
  const marker = createQueueContents(connection).replaceMarker('one');
  expect(await queue.counts(['default'])).toMatchObject({ default: { waiting: 0 } });
  expect((await marker).found).toBeNull();
});

test('a new dispatch number is a new job, also while the old one is there', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const run = aRun();
  await queue.add([run, { ...run, dispatch: 2 }]);
  expect(await queue.counts(['default'])).toEqual({
    default: { waiting: 2, delayed: 0, active: 0, repeats: 0, bundled: 0 },
  });
});

test('runs go to their pools, due ones to wait and later ones to delayed', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const runs = [aRun({ queue: 'a' }), aRun({ queue: 'b', delayMs: 60_000 }), aRun({ queue: 'a', delayMs: -5000 })];
  expect(await queue.add(runs)).toEqual([{ ok: true }, { ok: true }, { ok: true }]);
  expect(await queue.counts(['a', 'b'])).toEqual({
    a: { waiting: 2, delayed: 0, active: 0, repeats: 0, bundled: 0 },
    b: { waiting: 0, delayed: 1, active: 0, repeats: 0, bundled: 0 },
  });
});

test('present tells what Redis holds, and that nothing is left after a flush', async () => {
  const { url, client } = await ownRedis();
  const queue = aRunQueue(url);
  const [due, later, never] = [aRun(), aRun({ delayMs: 60_000 }), aRun()];
  await queue.add([due, later]);
  expect(await queue.present([due, never, later])).toEqual([true, false, true]);
  await client.flushall();
  expect(await queue.present([due, never, later])).toEqual([false, false, false]);
  expect(await queue.add([due])).toEqual([{ ok: true }]);
  expect(await queue.present([due])).toEqual([true]);
});

test('remove takes waiting and delayed jobs out and leaves one that a worker holds', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const [held, waiting, delayed] = [aRun(), aRun({ queue: 'idle' }), aRun({ delayMs: 60_000 })];
  const { executed } = aConsumer(url, { execute: () => new Promise(() => undefined) });
  await queue.add([held, waiting, delayed]);
  await eventually(() => expect(executed).toHaveLength(1));
  await queue.remove([held, waiting, delayed]);
  expect(await queue.present([held, waiting, delayed])).toEqual([true, false, false]);
});

test('of a batch into a Redis whose memory is full, each run says whether it was stored', async () => {
  const { url, client } = await ownRedis('--maxmemory-policy', 'noeviction');
  const queue = aRunQueue(url);
  const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
  await client.config('SET', 'maxmemory', used + 400_000);
  const runs = Array.from({ length: 2000 }, () => aRun());
  const results = await queue.add(runs);
  const stored = await queue.present(runs);
  expect(results.map((result) => result.ok)).toEqual(stored);
  expect(new Set(stored)).toEqual(new Set([true, false]));
  const refused = results.find((result) => !result.ok);
  expect(refused).toMatchObject({ error: { message: expect.stringContaining('OOM') } });
});

test('with Redis dead, add says so for each run within the time limit, and remove does not reject', async () => {
  const redis = await ownRedis();
  const queue = aRunQueue(redis.url, { commandTimeoutMs: 500 });
  await redis.kill();
  const run = aRun();
  expect(await queue.add([run])).toEqual([
    { ok: false, error: expect.objectContaining({ code: 'redis_unreachable' }) },
  ]);
  await queue.remove([run]);
  await expect(queue.present([run])).rejects.toMatchObject({ code: 'redis_unreachable' });
  await redis.start();
  await eventually(async () => expect(await queue.add([run])).toEqual([{ ok: true }]));
});

test('with Redis frozen, add fails within the time limit and works again afterwards', async () => {
  const redis = await ownRedis();
  const queue = aRunQueue(redis.url, { commandTimeoutMs: 300 });
  redis.freeze();
  const [result] = await queue.add([aRun()]);
  expect(result).toMatchObject({ ok: false, error: { code: 'redis_unreachable' } });
  redis.thaw();
  await eventually(async () => expect(await queue.add([aRun()])).toEqual([{ ok: true }]));
});

test('with Redis dead a large batch is refused as fast as a small one', async () => {
  const redis = await ownRedis();
  const queue = aRunQueue(redis.url);
  await redis.kill();
  const tookMs = await stopwatch();
  const results = await queue.add(Array.from({ length: 5000 }, () => aRun()));
  expect(await tookMs()).toBeLessThan(6000);
  expect(results.filter((result) => result.ok)).toEqual([]);
});
