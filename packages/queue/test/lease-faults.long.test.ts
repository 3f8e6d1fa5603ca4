import { eventually } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aKeeper, aRequest, blockFor, heldLease, renewals } from './support.ts';

test('a blocked event loop keeps its leases while the thread renews them', async () => {
  const { url } = await ownRedis();
  const keeper = aKeeper(url, { leaseMs: 3000 });
  await keeper.ready;
  const leases = [];
  for (let i = 0; i < 20; i++) leases.push(await heldLease(keeper, aRequest({ key: `k${i}` })));
  blockFor(5000);
  expect(leases.every((lease) => lease.isValid())).toBe(true);
});

test('a lease taken right before the block is kept too', async () => {
  const { url } = await ownRedis();
  const keeper = aKeeper(url, { leaseMs: 3000 });
  await keeper.ready;
  const blocked = keeper.acquire(aRequest()).then((result) => {
    blockFor(5000);
    return result.held && result.lease.isValid();
  });
  expect(await blocked).toBe(true);
});

test('an event loop blocked for longer than maxBlockMs loses its leases, and isValid knows at once', async () => {
  const { url, client } = await ownRedis();
  const keeper = aKeeper(url, { leaseMs: 600, maxBlockMs: 500 });
  await keeper.ready;
  const lease = await heldLease(keeper, aRequest());
  blockFor(2500);
  expect(lease.isValid()).toBe(false);
  expect(lease.lost.aborted).toBe(false);
  expect(await client.keys('*:lease:*')).toEqual([]);
  await eventually(() => expect(lease.lost.aborted).toBe(true));
});

test('a lease that was taken away during a blocked loop is seen by isValid although no event can arrive', async () => {
  const { url, client } = await ownRedis();
  const keeper = aKeeper(url, { leaseMs: 600 });
  await keeper.ready;
  const lease = await heldLease(keeper, aRequest());
  await client.del(await client.keys('*:lease:*'));
  blockFor(500);
  expect(lease.isValid()).toBe(false);
});

test.each(['killed', 'frozen'] as const)(
  'with Redis %s a lease is lost when its time is up, not later',
  async (how) => {
    const redis = await ownRedis();
    const keeper = aKeeper(redis.url, { leaseMs: 3000 });
    await keeper.ready;
    const lease = await heldLease(keeper, aRequest());
    if (how === 'killed') await redis.kill();
    else redis.freeze();
    const startedMs = performance.now();
    expect(lease.isValid()).toBe(true);
    // Nothing of this process is heard of while it is blocked: `isValid` knows the time by itself.
    blockFor(3100 - (performance.now() - startedMs));
    expect(lease.isValid()).toBe(false);
    await eventually(() => expect(lease.lost.aborted).toBe(true));
  },
);

test('with Redis dead, acquire says so in time, and release does not reject', async () => {
  const redis = await ownRedis();
  const keeper = aKeeper(redis.url, {}, 500);
  const lease = await heldLease(keeper, aRequest());
  await redis.kill();
  const startedMs = performance.now();
  await expect(keeper.acquire(aRequest({ key: 'x' }))).rejects.toMatchObject({ code: 'redis_unreachable' });
  await lease.release();
  expect(performance.now() - startedMs).toBeLessThan(1500);
});

test('a short outage costs no lease', async () => {
  const redis = await ownRedis();
  const errors: Error[] = [];
  const keeper = aKeeper(redis.url, { leaseMs: 4000, onError: (error) => errors.push(error) });
  await keeper.ready;
  const lease = await heldLease(keeper, aRequest());
  redis.freeze();
  await eventually(() => expect(errors).not.toEqual([]));
  redis.thaw();
  await renewals(redis.client, 3);
  expect(lease.isValid()).toBe(true);
});
