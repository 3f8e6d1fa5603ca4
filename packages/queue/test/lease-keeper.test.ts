import { testRedis } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { aKeeper, aRequest, heldLease, renewals } from './support.ts';

const { url } = await testRedis();
const client = new Redis(url);
afterAll(() => client.disconnect());
beforeEach(() => client.flushdb());

test('all that are in the way are told of with their slots', async () => {
  const keeper = aKeeper(url);
  const [first, second, third] = ['a', 'b', 'c'].map((runId) => aRequest({ runId, limit: 3 }));
  for (const request of [first, second, third]) await heldLease(keeper, request ?? aRequest());
  const refused = await keeper.acquire(aRequest({ runId: 'd', limit: 3 }));
  expect(refused.held ? [] : refused.holders.map(({ slot, runId }) => [slot, runId])).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
  ]);
  const other = await keeper.takeOver({ ...aRequest({ runId: 'd', limit: 3 }), slot: 3, fromRunId: 'a' });
  expect(other.held ? [] : other.holders.map(({ slot, runId }) => [slot, runId])).toEqual([[3, 'c']]);
});

test.each([1, 2, 1000])('a key may have %d slots', async (limit) => {
  expect(await heldLease(aKeeper(url), aRequest({ limit }))).toMatchObject({ slot: 1 });
});

test.each([0, -1, 1001, 2.5, Number.NaN])('a key may not have %d slots', async (limit) => {
  await expect(aKeeper(url).acquire(aRequest({ limit }))).rejects.toMatchObject({ code: 'bad_limit' });
});

test('a lease is renewed for as long as it may be held', async () => {
  const keeper = aKeeper(url, { leaseMs: 3000 });
  await keeper.ready;
  const lease = await heldLease(keeper, aRequest({ maxHoldMs: 3_600_000 }));
  await renewals(client, 2);
  expect(lease.isValid()).toBe(true);
});

/** A keeper, and the timer by which it looks at its leases. */
function keeperWithTimer(leaseMs: number, more: { maxBlockMs?: number } = {}) {
  const timers = vi.spyOn(globalThis, 'setInterval');
  onTestFinished(() => timers.mockRestore());
  const keeper = aKeeper(url, { leaseMs, ...more });
  const everyMs = timers.mock.calls.map(([, ms]) => ms);
  const [timer] = timers.mock.results.map(({ value }) => value);
  return { keeper, everyMs, timer };
}

test.each([
  [600, 30],
  [4800, 240],
  [60_000, 250],
])('leases of %d ms are looked at each %d ms', (leaseMs, ms) => {
  expect(keeperWithTimer(leaseMs).everyMs).toEqual([ms]);
});

test('a keeper says at its start that its process is alive: leases are renewed before it looks for the first time', async () => {
  const { keeper, timer } = keeperWithTimer(3000, { maxBlockMs: 120_000 });
  clearInterval(timer);
  await keeper.ready;
  const lease = await heldLease(keeper, aRequest());
  await renewals(client, 2);
  expect(lease.isValid()).toBe(true);
});

test('a keeper that is closed looks no more', async () => {
  const { keeper, timer } = keeperWithTimer(60_000);
  const cleared = vi.spyOn(globalThis, 'clearInterval');
  onTestFinished(() => cleared.mockRestore());
  await keeper.close();
  expect(cleared).toHaveBeenCalledWith(timer);
});
