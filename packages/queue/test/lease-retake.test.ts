import { testRedis } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { leaseScripts } from '../src/lease/lease-scripts.ts';

const { url } = await testRedis();
const client = new Redis(url);
afterAll(() => client.disconnect());
beforeEach(() => client.flushdb());

const scripts = leaseScripts(client);
const LEASE_MS = 60_000;
const OURS = 'run-a 1 worker-1 ';
const OTHERS = 'run-b 1 worker-2 2026-01-01T00:00:00.000Z';

/** Renews these leases as one process would. */
async function renew(redisKeys: readonly string[], { mayRetake = true, forgot = false } = {}) {
  const leases = redisKeys.map((redisKey) => ({ redisKey, owner: OURS, mayRetake }));
  return await scripts.renew(leases, {
    redisKey: 'marker',
    since: '2026-01-01T00:00:01.000Z',
    forgot,
    leaseMs: LEASE_MS,
  });
}

/** Two leases of ours that were renewed once. */
async function held(): Promise<void> {
  await client.mset('one', `${OURS}t`, 'two', `${OURS}t`);
  await renew(['one', 'two']);
}

test('a lease is renewed as long as it is ours', async () => {
  await held();
  await client.set('two', OTHERS);
  expect(await renew(['one', 'two'])).toEqual({ leases: ['renewed', 'lost'], forgot: false });
  expect(await client.pttl('one')).toBeGreaterThan(LEASE_MS / 2);
  expect(await client.get('two')).toBe(OTHERS);
});

test('a lease that somebody took away is lost', async () => {
  await held();
  await client.del('one');
  expect(await renew(['one', 'two'])).toEqual({ leases: ['lost', 'renewed'], forgot: false });
  expect(await client.get('one')).toBeNull();
});

test('leases that Redis forgot are taken anew, under their holder and for the lease time', async () => {
  await held();
  await client.flushdb();
  expect(await renew(['one', 'two'])).toEqual({ leases: ['retaken', 'retaken'], forgot: true });
  expect(await client.get('one')).toBe(`${OURS}2026-01-01T00:00:01.000Z`);
  expect(await client.pttl('one')).toBeGreaterThan(LEASE_MS / 2);
  expect(await renew(['one', 'two'])).toEqual({ leases: ['renewed', 'renewed'], forgot: false });
});

test('what somebody else has taken meanwhile is not stolen back (I5)', async () => {
  await held();
  await client.flushdb();
  await client.set('two', OTHERS);
  expect(await renew(['one', 'two'])).toEqual({ leases: ['retaken', 'lost'], forgot: true });
  expect(await client.get('two')).toBe(OTHERS);
});

test('what was not seen for too long is not taken anew', async () => {
  await held();
  await client.flushdb();
  expect(await renew(['one'], { mayRetake: false })).toEqual({ leases: ['lost'], forgot: true });
  expect(await client.get('one')).toBeNull();
});

test('a later call of the pass knows from the first one that Redis forgot', async () => {
  await held();
  await client.flushdb();
  await renew(['one']);
  expect(await renew(['two'], { forgot: true })).toEqual({ leases: ['retaken'], forgot: true });
});
