import { connectRedis, inspectRedis, type RedisWait, waitForRedis } from '@escapement/queue';
import { eventually } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConnection } from './support.ts';

test('ping tells the round trip, and who does not answer and why', async () => {
  const redis = await ownRedis();
  const connection = aConnection(redis.url, 500);
  expect(await connection.ping()).toBeLessThan(500);
  await redis.kill();
  await expect(connection.ping()).rejects.toMatchObject({ code: 'redis_unreachable' });
  await expect(connection.ping()).rejects.toThrow(
    /Redis at redis:..127\.0\.0\.1:\d+\/0 does not answer: .*ECONNREFUSED/,
  );
});

test('an outage that is over is not the reason for what fails later', async () => {
  const redis = await ownRedis();
  const connection = aConnection(redis.url, 500);
  await redis.kill();
  await expect(connection.ping()).rejects.toThrow('ECONNREFUSED');
  await redis.start();
  await eventually(async () => void (await connection.ping()));
  const asked = connection.ping();
  await connection.close();
  await expect(asked).rejects.toThrow('the connection broke');
});

test('an inspection tells what could lose runs', async () => {
  const redis = await ownRedis('--appendonly', 'no', '--maxmemory-policy', 'allkeys-lru', '--hz', '25');
  expect(await inspectRedis(aConnection(redis.url))).toEqual({
    version: expect.stringMatching(/^\d+\.\d+/),
    maxmemoryPolicy: 'allkeys-lru',
    appendonly: false,
    hz: 25,
    role: 'master',
    cluster: false,
    clockOffsetMs: expect.closeTo(0, -4),
  });
});

test('waiting for Redis says so each time, and ends when it comes', async () => {
  const redis = await ownRedis();
  await redis.kill();
  const waits: RedisWait[] = [];
  const waited = waitForRedis(aConnection(redis.url), { onWait: (wait) => waits.push(wait) });
  await eventually(() => expect(waits.length).toBeGreaterThan(1));
  expect(waits.slice(0, 2).map((wait) => wait.attempt)).toEqual([1, 2]);
  expect(waits[0]?.error).toMatchObject({ code: 'redis_unreachable' });
  await redis.start();
  await waited;
});

test('waiting for Redis ends when it is told to', async () => {
  const redis = await ownRedis();
  await redis.kill();
  const stop = new AbortController();
  const waited = waitForRedis(aConnection(redis.url), { signal: stop.signal, onWait: () => stop.abort() });
  await expect(waited).rejects.toThrow(/abort/i);
});

test('a wrong password is told as what it is', async () => {
  const redis = await ownRedis();
  const errors: Error[] = [];
  const url = redis.url.replace('//', '//nobody:wrong@');
  const connection = connectRedis({ url, namespace: 'test', onError: (error) => errors.push(error) });
  await expect(connection.ping()).rejects.toMatchObject({
    code: 'redis_refused',
    message: expect.stringContaining('does not know'),
  });
  await eventually(() => expect(errors.map((error) => error.message).join()).toMatch(/does not know/));
  await connection.close();
});
