import { eventually } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aFleet, aRequest, aRun, heldLease, runsThrough } from './support.ts';

test('a Redis that is turned into a replica is told, at a bounded rate, and used again when it is a primary', async () => {
  const redis = await ownRedis();
  const fleet = aFleet({ url: redis.url });
  await runsThrough(fleet);
  const lease = await heldLease(fleet.keeper, aRequest({ key: 'held' }));
  await redis.client.replicaof('127.0.0.1', 1);
  expect(await fleet.queue.add([aRun()])).toMatchObject([{ ok: false, error: expect.anything() }]);
  await expect(fleet.keeper.acquire(aRequest())).rejects.toThrow();
  // Nobody can renew it: it ends by this process' own clock.
  await eventually(() => expect(lease.lost.aborted).toBe(true));
  // Three connections that report at most two a second each, each message once.
  expect(fleet.errors.length).toBeLessThan(30);
  expect(fleet.errors.map(({ message }) => message).join()).toContain('READONLY');
  await redis.client.replicaof('NO', 'ONE');
  await runsThrough(fleet);
});

test('a Redis whose memory is full takes no runs, and takes them when there is room', async () => {
  const redis = await ownRedis();
  const fleet = aFleet({ url: redis.url });
  await runsThrough(fleet);
  await redis.client.config('SET', 'maxmemory', '1');
  expect(await fleet.queue.add([aRun()])).toMatchObject([
    { ok: false, error: { message: expect.stringContaining('OOM') } },
  ]);
  await expect(fleet.keeper.acquire(aRequest())).rejects.toThrow('OOM');
  await redis.client.config('SET', 'maxmemory', '0');
  await runsThrough(fleet);
});
