import { type Lease, type LeaseRequest, type LeaseResult, listLeases } from '@escapement/queue';
import { startProxy, stopwatch, testRedis } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConnection, aKeeper, aRequest } from './support.ts';

const { url } = await testRedis();
const client = new Redis(url);
afterAll(() => client.disconnect());
beforeEach(() => client.flushdb());

/** Requests of different runs, each for a key of its own. */
function requests(count: number, changes: Partial<LeaseRequest> = {}): LeaseRequest[] {
  return Array.from({ length: count }, (_, i) => aRequest({ key: `k${i}`, runId: `r${i}`, ...changes }));
}

function leasesOf(results: readonly LeaseResult[]): Lease[] {
  return results.flatMap((result) => (result.held ? [result.lease] : []));
}

/** Scripts that a Redis has run since its statistics were emptied. */
async function scripts(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats');
  return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

test('all that is asked in one turn is one call, all that is given back in one turn another', async () => {
  // Its statistics count what all its clients ask for, of other test files too.
  const redis = await ownRedis();
  // No renewal comes between.
  const keeper = aKeeper(redis.url, { leaseMs: 60_000 });
  await keeper.ready;
  await redis.client.config('RESETSTAT');
  const leases = leasesOf(await Promise.all(requests(100).map(keeper.acquire)));
  expect(leases).toHaveLength(100);
  expect(await scripts(redis.client)).toBe(1);
  await Promise.all(leases.map((lease) => lease.release()));
  expect(await scripts(redis.client)).toBe(2);
  expect(keeper.counts().held).toBe(0);
  expect(await listLeases(aConnection(redis.url))).toEqual([]);
});

test('in one call each gets what is its own: a slot, the one it has already, or who is in the way', async () => {
  const [holder, keeper] = [aKeeper(url), aKeeper(url)];
  await holder.acquire(aRequest({ key: 'busy', runId: 'a' }));
  const [stale] = leasesOf([await holder.acquire(aRequest({ key: 'stale', runId: 'dead', limit: 2 }))]);
  const [next] = leasesOf([await holder.acquire(aRequest({ key: 'reserved', runId: 'b' }))]);
  const answers = await Promise.all([
    keeper.acquire(aRequest({ key: 'busy', runId: 'c' })),
    keeper.acquire(aRequest({ key: 'free', runId: 'd' })),
    keeper.takeOver({ ...aRequest({ key: 'stale', runId: 'e', limit: 2 }), slot: 1, fromRunId: 'dead' }),
    keeper.acquire(aRequest({ key: 'stale', runId: 'f', limit: 2 })),
    keeper.takeOver({ ...aRequest({ key: 'reserved', runId: 'g' }), slot: 1, fromRunId: 'other' }),
    keeper.acquire(aRequest({ key: 'same', runId: 'h', limit: 5 })),
    keeper.acquire(aRequest({ key: 'same', runId: 'h', limit: 5 })),
  ]);
  expect(answers).toMatchObject([
    { held: false, holders: [{ slot: 1, runId: 'a' }] },
    { held: true, lease: { key: 'free', slot: 1 } },
    { held: true, lease: { key: 'stale', slot: 1 } },
    { held: true, lease: { key: 'stale', slot: 2 } },
    { held: false, holders: [{ slot: 1, runId: 'b' }] },
    { held: true, lease: { key: 'same', slot: 1 } },
    { held: false, holders: [{ slot: 1, runId: 'h' }] },
  ]);
  // Given back in one call with one that is somebody else's by now.
  await Promise.all([stale?.release('z'), next?.release('c'), answers[1]?.held && answers[1].lease.release()]);
  const left = (await listLeases(aConnection(url))).map(({ key, slot, runId, dispatch }) => [
    key,
    slot,
    runId,
    dispatch,
  ]);
  expect(left).toEqual([
    ['busy', 1, 'a', 1],
    ['reserved', 1, 'c', 0],
    ['same', 1, 'h', 1],
    ['stale', 1, 'e', 1],
    ['stale', 2, 'f', 1],
  ]);
});

test('a key that Redis cannot read as a lease fails its own request, and no other', async () => {
  const keeper = aKeeper(url);
  await client.hset('esc:{test:k1}:lease:1', 'a', 'b');
  const results = await Promise.allSettled(requests(4).map(keeper.acquire));
  expect(results).toMatchObject([
    { value: { held: true } },
    { reason: { message: expect.stringContaining('WRONGTYPE') } },
    { value: { held: true } },
    { value: { held: true } },
  ]);
  expect(keeper.counts().held).toBe(3);
});

test('a Redis whose memory is full refuses leases, and lets those go that come in the same call', async () => {
  const redis = await ownRedis();
  const keeper = aKeeper(redis.url);
  const [lease] = leasesOf([await keeper.acquire(aRequest({ key: 'held' }))]);
  await redis.client.config('SET', 'maxmemory', '1');
  const asked = Promise.allSettled(requests(2).map(keeper.acquire));
  await lease?.release();
  expect(await asked).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  await redis.client.config('SET', 'maxmemory', '0');
  expect(await redis.client.keys('*:lease:*')).toEqual([]);
});

test('when the reply to a call is lost each is told so, and gets its slot when it asks again', async () => {
  const proxy = await startProxy(url);
  const keeper = aKeeper(proxy.url);
  const first = leasesOf(await Promise.all(requests(3, { limit: 2 }).map(keeper.acquire)));
  await Promise.all(first.map((lease) => lease.release()));
  const lost = proxy.loseReply('esc:{test:k0}:lease');
  const results = await Promise.allSettled(requests(3, { limit: 2 }).map(keeper.acquire));
  await lost;
  expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toEqual(
    Array.from({ length: 3 }, () => 'redis_unreachable'),
  );
  expect(keeper.counts().held).toBe(0);
  expect(await client.keys('*:lease:*')).toHaveLength(3);
  const again = await Promise.all(requests(3, { limit: 2 }).map(keeper.acquire));
  expect(again).toMatchObject(again.map(() => ({ held: true, lease: { slot: 1 } })));
});

test('with a Redis that says nothing each request fails within its own time limit', async () => {
  const redis = await ownRedis();
  const keeper = aKeeper(redis.url, {}, 600);
  await Promise.all(requests(3).map(keeper.acquire));
  redis.freeze();
  const took = async (request: LeaseRequest) => {
    const tookMs = await stopwatch();
    await expect(keeper.acquire(request)).rejects.toMatchObject({ code: 'redis_unreachable' });
    return await tookMs();
  };
  const early = took(aRequest({ key: 'early' }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const ms of await Promise.all([early, took(aRequest({ key: 'late' }))])) expect(ms).toBeLessThan(1200);
  redis.thaw();
});
