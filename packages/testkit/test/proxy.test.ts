import { Redis } from 'ioredis';
import { beforeEach, expect, test } from 'vitest';
import { afterFile, startProxy, testRedis } from '../src/index.ts';

const { url } = await testRedis();
const proxy = await startProxy(url);
const direct = new Redis(url);
afterFile(() => direct.disconnect());

async function client(): Promise<Redis> {
  const redis = new Redis(proxy.url, { retryStrategy: () => null, maxRetriesPerRequest: 0, lazyConnect: true });
  redis.on('error', () => undefined);
  afterFile(() => redis.disconnect());
  await redis.connect();
  return redis;
}

beforeEach(() => proxy.pass());

test('it passes', async () => {
  const redis = await client();
  expect(await redis.set('key', 'x'.repeat(200_000))).toBe('OK');
  expect((await redis.get('key'))?.length).toBe(200_000);
  expect(proxy.connections()).toBe(1);
});

test('a delay holds both ways, in order', async () => {
  const redis = await client();
  proxy.delay(60);
  const start = performance.now();
  expect(await Promise.all([redis.incr('n'), redis.incr('n'), redis.incr('n')])).toEqual([1, 2, 3]);
  const tookMs = performance.now() - start;
  expect(tookMs).toBeGreaterThan(118);
  expect(tookMs).toBeLessThan(2_000);
});

test('a hole answers nothing until it heals, and then nothing is lost', async () => {
  const redis = await client();
  proxy.hole();
  const pending = redis.set('hole', '1');
  const outcome = await Promise.race([pending, direct.get('hole').then(() => direct.get('hole'))]);
  expect(outcome).toBeNull();
  proxy.pass();
  expect(await pending).toBe('OK');
  expect(await direct.get('hole')).toBe('1');
});

test('a reset ends open connections and refuses new ones', async () => {
  const redis = await client();
  await redis.ping();
  const ended = new Promise((resolve) => redis.once('end', resolve));
  proxy.reset();
  await ended;
  await expect(client()).rejects.toThrow();
  proxy.pass();
  expect(await (await client()).ping()).toBe('PONG');
});

test('a lost reply: the server has done it, the client cannot know', async () => {
  const redis = await client();
  const lost = proxy.loseReply('counter');
  expect(await redis.ping()).toBe('PONG');
  await expect(redis.incr('counter')).rejects.toThrow();
  await lost;
  expect(await direct.get('counter')).toBe('1');
  expect(await (await client()).incr('counter')).toBe(2);
});
