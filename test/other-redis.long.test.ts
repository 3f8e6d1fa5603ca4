import { SECOND } from '@escapement/core';
import { eventually, ownRedis, startProxy, testDatabase } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { site, witness } from './restored/site.ts';

const { starts, command } = witness();
const PATIENCE_MS = 60 * SECOND;
const ID = 'esc:{default}:id';

const EVERY_SECOND = {
  name: 'each',
  schedule: { kind: 'every', everyMs: SECOND },
  handler: { type: 'shell', command: command('each') },
} as const;

async function goesOn(): Promise<void> {
  const before = starts().length;
  await eventually(() => expect(starts().length).toBeGreaterThan(before + 1), PATIENCE_MS);
}

async function within<Result>(url: string, work: (client: Redis) => Promise<Result>): Promise<Result> {
  const client = new Redis(url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

const idOf = (url: string) => within(url, (client) => client.get(ID));

test('one Redis serves a namespace: others are refused beside it, a flush changes nothing, and a fleet that was stopped may move', async () => {
  const [{ url }, first, second] = await Promise.all([testDatabase(), ownRedis(), ownRedis()]);
  const fleet = await site(url, { redisUrl: first.url });
  await fleet.save([EVERY_SECOND]);
  await fleet.start();
  await goesOn();
  const id = await idOf(first.url);
  expect(id).toEqual(expect.any(String));

  for (const role of ['scheduler', 'worker'] as const) {
    const program = await fleet.refused(role, second.url);
    const said = await program.waitForLine('is not the one that serves the namespace', PATIENCE_MS);
    expect(said).toContain('REDIS_URL');
    expect(await program.exited).toMatchObject({ code: 3 });
  }
  expect(await within(second.url, (client) => client.dbsize())).toBe(0);

  await within(first.url, (client) => client.flushall());
  await goesOn();
  await eventually(async () => expect(await idOf(first.url)).toBe(id), PATIENCE_MS);

  await fleet.stop();
  const moved = await site(url, { redisUrl: second.url });
  await moved.start();
  await goesOn();
  expect(await idOf(second.url)).toBe(id);
  await moved.stop();
}, 240_000);

test('a program whose address leads to another Redis than that of the others ends, and says so', async () => {
  const [{ url }, first, second] = await Promise.all([testDatabase(), ownRedis(), ownRedis()]);
  const fleet = await site(url, { redisUrl: first.url });
  await fleet.start();
  await within(second.url, (client) => client.set(ID, 'another'));
  const proxy = await startProxy(first.url);
  const led = await fleet.refused('worker', proxy.url);
  await led.waitForLine('worker is running', PATIENCE_MS);
  proxy.switchTo(second.url);
  await led.waitForLine('is not the one that serves the namespace', PATIENCE_MS);
  expect(await led.exited).toMatchObject({ code: 3 });
  await fleet.stop();
}, 240_000);

test('a fleet starts on a Redis that takes no writes yet, and leaves the id there when it does', async () => {
  const [{ url }, redis] = await Promise.all([testDatabase(), ownRedis()]);
  await within(redis.url, (client) => client.config('SET', 'maxmemory', '1'));
  const fleet = await site(url, { redisUrl: redis.url });
  await fleet.start();
  expect(await idOf(redis.url)).toBeNull();
  await within(redis.url, (client) => client.config('SET', 'maxmemory', '0'));
  await eventually(async () => expect(await idOf(redis.url)).toEqual(expect.any(String)), PATIENCE_MS);
  await fleet.stop();
}, 240_000);
