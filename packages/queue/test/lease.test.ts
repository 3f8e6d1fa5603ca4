import { listLeases } from '@escapement/queue';
import { eventually, testRedis } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConnection, aKeeper, aRequest, heldLease, renewals } from './support.ts';

const { url } = await testRedis();
const client = new Redis(url);
afterAll(() => client.disconnect());
beforeEach(() => client.flushdb());

test('a key of limit 1 goes to one run; the other one is told who is in the way', async () => {
  const keeper = aKeeper(url);
  const first = await heldLease(keeper, aRequest({ runId: 'a', worker: 'worker 1' }));
  expect(first).toMatchObject({ slot: 1, key: 'k', runId: 'a' });
  expect(first.isValid()).toBe(true);
  expect(await keeper.acquire(aRequest({ runId: 'b' }))).toEqual({
    held: false,
    holders: [{ slot: 1, runId: 'a', worker: 'worker 1', dispatch: 1, since: expect.stringMatching(/^20.*Z$/) }],
  });
  await first.release();
  expect(first.isValid()).toBe(false);
  expect(await heldLease(keeper, aRequest({ runId: 'b' }))).toMatchObject({ slot: 1 });
});

test('different keys do not disturb each other', async () => {
  const keeper = aKeeper(url);
  for (const key of ['a', 'b', 'invoice:{1}', 'a}:lease:1', 'ключ'])
    expect(await heldLease(keeper, aRequest({ key }))).toMatchObject({ slot: 1 });
  expect(keeper.counts().held).toBe(5);
});

test('a key has as many slots as its limit, and the freed one is given next', async () => {
  const keeper = aKeeper(url);
  const leases = [];
  for (const runId of ['a', 'b', 'c']) leases.push(await heldLease(keeper, aRequest({ runId, limit: 3 })));
  expect(leases.map((lease) => lease.slot)).toEqual([1, 2, 3]);
  const refused = await keeper.acquire(aRequest({ runId: 'd', limit: 3 }));
  expect(refused).toMatchObject({ held: false, holders: [{ runId: 'a' }, { runId: 'b' }, { runId: 'c' }] });
  await leases[1]?.release();
  expect(await heldLease(keeper, aRequest({ runId: 'd', limit: 3 }))).toMatchObject({ slot: 2 });
});

test('a run gets the slot that it prefers where that is free, else another one', async () => {
  const keeper = aKeeper(url);
  const wanted = { a: 3, b: 3, c: null, d: 9 };
  const asked = Object.entries(wanted).map(([runId, slot]) =>
    keeper.acquire({ ...aRequest({ runId, limit: 4 }), slot }),
  );
  const results = await Promise.all(asked);
  expect(results.map((result) => result.held && result.lease.slot)).toEqual([3, 1, 2, 4]);
});

test('of many that ask at once for a key of limit 5, five get a slot', async () => {
  const keepers = [aKeeper(url), aKeeper(url)];
  const asked = Array.from({ length: 40 }, (_, i) => keepers[i % 2]?.acquire(aRequest({ runId: `r${i}`, limit: 5 })));
  const results = await Promise.all(asked);
  expect(results.filter((result) => result?.held)).toHaveLength(5);
});

test('a later dispatch of a run gets its slot again, and the earlier one has lost it', async () => {
  const [old, young] = [aKeeper(url, { leaseMs: 600 }), aKeeper(url)];
  const before = await heldLease(old, aRequest({ worker: 'w1', dispatch: 1, limit: 2 }));
  const after = await heldLease(young, aRequest({ worker: 'w2', dispatch: 2, limit: 2 }));
  expect(after.slot).toBe(before.slot);
  await eventually(() => expect(before.lost.aborted).toBe(true));
  await before.release();
  expect(await listLeases(aConnection(url))).toMatchObject([{ worker: 'w2', dispatch: 2 }]);
});

test('a reply that was lost does no harm: the same dispatch of the same worker gets its slot', async () => {
  const [once, again] = [aKeeper(url), aKeeper(url)];
  await heldLease(once, aRequest({ limit: 3 }));
  expect(await heldLease(again, aRequest({ limit: 3 }))).toMatchObject({ slot: 1 });
});

test('a job delivered twice, to this worker or to another one, leaves the first one alone', async () => {
  const [first, second] = [aKeeper(url), aKeeper(url)];
  const [one, twin] = await Promise.all([first.acquire(aRequest()), first.acquire(aRequest())]);
  expect([one?.held, twin?.held].sort()).toEqual([false, true]);
  const elsewhere = await second.acquire(aRequest({ worker: 'other', limit: 4 }));
  expect(elsewhere).toMatchObject({ held: false, holders: [{ runId: 'run', worker: 'w' }] });
});

test('a take-over succeeds only from the run that it names', async () => {
  const [gone, next] = [aKeeper(url, { leaseMs: 600 }), aKeeper(url)];
  const stale = await heldLease(gone, aRequest({ runId: 'dead' }));
  const request = { ...aRequest({ runId: 'new' }), slot: 1 };
  expect(await next.takeOver({ ...request, fromRunId: 'other' })).toMatchObject({
    held: false,
    holders: [{ runId: 'dead', slot: 1 }],
  });
  expect(await next.takeOver({ ...request, fromRunId: 'dead' })).toMatchObject({ held: true, lease: { slot: 1 } });
  await eventually(() => expect(stale.lost.aborted).toBe(true));
  await stale.release();
  expect(await next.acquire(aRequest({ runId: 'third' }))).toMatchObject({ held: false, holders: [{ runId: 'new' }] });
});

test('a slot that nobody holds any more can be taken over', async () => {
  const result = await aKeeper(url).takeOver({ ...aRequest(), slot: 1, fromRunId: 'dead' });
  expect(result.held).toBe(true);
});

test('a lease is renewed again and again, well before its time is up', async () => {
  const keeper = aKeeper(url, { leaseMs: 9000 });
  await keeper.ready;
  const lease = await heldLease(keeper, aRequest());
  // Renewed at a third of its time, so that there is time for a second try.
  expect(await renewals(client, 2)).toBeGreaterThan(4500);
  expect(lease.isValid()).toBe(true);
  expect(lease.lost.aborted).toBe(false);
  expect(await keeper.acquire(aRequest({ runId: 'other' }))).toMatchObject({ held: false });
});

test('a lease is renewed no longer than maxHoldMs says', async () => {
  const lease = await heldLease(aKeeper(url, { leaseMs: 600 }), aRequest({ maxHoldMs: 300 }));
  await eventually(() => expect(lease.lost.aborted).toBe(true), 3000);
  // Its holder gives it up before Redis does; one that is renewed never ends there.
  const next = aKeeper(url);
  await eventually(
    async () => expect(await next.acquire(aRequest({ runId: 'next' }))).toMatchObject({ held: true }),
    3000,
  );
});

test('a lease that somebody took away is lost at the next renewal, long before it would expire', async () => {
  const keeper = aKeeper(url, { leaseMs: 4500 });
  await keeper.ready;
  const lease = await heldLease(keeper, aRequest());
  await renewals(client, 1);
  await client.del(await client.keys('*:lease:*'));
  await vi.waitFor(() => expect(lease.lost.aborted).toBe(true), { timeout: 4000, interval: 20 });
  expect(lease.isValid()).toBe(false);
  expect(lease.lost.reason).toBe('lease_lost');
});

test('close loses what is held at once, and Redis keeps it until it expires', async () => {
  const keeper = aKeeper(url);
  const lease = await heldLease(keeper, aRequest());
  await keeper.close();
  expect(lease.isValid()).toBe(false);
  expect(lease.lost.aborted).toBe(true);
  expect(await aKeeper(url).acquire(aRequest({ runId: 'next' }))).toMatchObject({ held: false });
});

test('a closed keeper leaves no connection behind, that of its thread included', async () => {
  const database = new URL(url).pathname.slice(1);
  const connections = async () => String(await client.client('LIST')).split(` db=${database} `).length - 1;
  const onlyOurs = () => eventually(async () => expect(await connections()).toBe(1));
  await onlyOurs();
  const keeper = aKeeper(url);
  await keeper.ready;
  await heldLease(keeper, aRequest());
  await eventually(async () => expect(await connections()).toBe(3));
  await keeper.close();
  await onlyOurs();
});

test('a release that names the next run keeps the slot for it, whichever worker it comes to', async () => {
  const [holder, next, other] = [aKeeper(url), aKeeper(url), aKeeper(url)];
  const lease = await heldLease(holder, aRequest({ runId: 'a', worker: 'worker 1' }));
  await lease.release('b');
  expect(lease.isValid()).toBe(false);
  expect(await other.acquire(aRequest({ runId: 'c' }))).toMatchObject({
    held: false,
    holders: [{ slot: 1, runId: 'b', worker: 'worker 1', dispatch: 0 }],
  });
  const [reserved] = await listLeases(aConnection(url));
  expect(reserved?.expiresInMs).toBeGreaterThan(0);
  expect(reserved?.expiresInMs).toBeLessThanOrEqual(5000);
  expect(await heldLease(next, aRequest({ runId: 'b', worker: 'worker 2', dispatch: 2 }))).toMatchObject({ slot: 1 });
  expect(await listLeases(aConnection(url))).toMatchObject([{ runId: 'b', worker: 'worker 2', dispatch: 2 }]);
});

test('a reservation that its run does not use is for anyone afterwards', async () => {
  const keeper = aKeeper(url);
  const lease = await heldLease(keeper, aRequest({ runId: 'a' }));
  await lease.release('b');
  const [redisKey = ''] = await client.keys('*:lease:*');
  await client.pexpire(redisKey, 1);
  await eventually(async () => expect(await client.exists(redisKey)).toBe(0));
  expect(await heldLease(keeper, aRequest({ runId: 'c' }))).toMatchObject({ slot: 1 });
});

test('a release that comes too late reserves nothing in the place of another holder', async () => {
  const [gone, young] = [aKeeper(url), aKeeper(url)];
  const lease = await heldLease(gone, aRequest({ runId: 'a' }));
  const request = { ...aRequest({ runId: 'b', worker: 'w2' }), slot: 1 };
  expect(await young.takeOver({ ...request, fromRunId: 'a' })).toMatchObject({ held: true });
  await lease.release('c');
  expect(await listLeases(aConnection(url))).toMatchObject([{ runId: 'b', worker: 'w2' }]);
});

test('leases are listed with their holders, all or of one key', async () => {
  const keeper = aKeeper(url);
  for (const key of ['b*', 'a', 'bcd'])
    await heldLease(keeper, aRequest({ key, runId: `run of ${key}`.replaceAll(' ', '-') }));
  await client.set('unrelated', 'x');
  const connection = aConnection(url);
  expect((await listLeases(connection)).map((lease) => lease.key)).toEqual(['a', 'b*', 'bcd']);
  const [only, ...others] = await listLeases(connection, 'b*');
  expect(others).toEqual([]);
  expect(only).toMatchObject({ key: 'b*', slot: 1, runId: 'run-of-b*', worker: 'w', dispatch: 1 });
  expect(only?.expiresInMs).toBeGreaterThan(5000);
});

test('leases of one key are listed by slot, beside thousands of other keys, and nothing that only looks like one', async () => {
  const keeper = aKeeper(url);
  for (const runId of ['a', 'b', 'c']) await heldLease(keeper, aRequest({ runId, limit: 3 }));
  const [first = ''] = await client.keys('*:lease:1');
  expect(first).not.toBe('');
  await client.mset(Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`other:${index}`, 'x'])));
  await client.set(first.replace(/1$/, '4'), 'without an end');
  expect((await listLeases(aConnection(url))).map(({ slot, runId }) => [slot, runId])).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
  ]);
});

test('what cannot be leased is refused', async () => {
  const keeper = aKeeper(url, { capacity: 1 });
  await expect(keeper.acquire(aRequest({ limit: 0 }))).rejects.toMatchObject({ code: 'bad_limit' });
  await expect(keeper.acquire(aRequest({ key: 'k'.repeat(3000) }))).rejects.toMatchObject({ code: 'key_too_long' });
  await heldLease(keeper, aRequest());
  await expect(keeper.acquire(aRequest({ key: 'second' }))).rejects.toMatchObject({ code: 'too_many_leases' });
});

test('a release under way when the keeper closes still arrives, without a word', async () => {
  const errors: Error[] = [];
  const keeper = aKeeper(url, { onError: (error) => errors.push(error) });
  const lease = await heldLease(keeper, aRequest());
  const released = lease.release();
  await keeper.close();
  await released;
  expect(await listLeases(aConnection(url))).toEqual([]);
  expect(errors).toEqual([]);
});

test('a closing keeper gives a slow Redis a moment to take what is given back', async () => {
  const slow = await ownRedis();
  const errors: Error[] = [];
  const keeper = aKeeper(slow.url, { onError: (error) => errors.push(error) });
  const lease = await heldLease(keeper, aRequest());
  await slow.client.call('CLIENT', 'PAUSE', '50', 'ALL');
  const released = lease.release();
  await keeper.close();
  await released;
  expect(errors).toEqual([]);
  expect(await slow.client.keys('*:lease:*')).toEqual([]);
});
