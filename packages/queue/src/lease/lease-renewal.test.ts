import { expect, test } from 'vitest';
import { type RenewalMarker, renewLeases } from './lease-renewal.ts';
import type { RenewArguments, Renewed } from './lease-scripts.ts';
import { createLeaseMemory, LOST, openLeaseTable } from './lease-table.ts';

const LEASE_MS = 10_000;

/** A table with one lease that is good until 10 s, seen as by two threads, and a Redis that answers as told. */
function setUp(options: { capacity?: number; maxBlockMs?: number } = {}) {
  const { capacity = 4, maxBlockMs = 30_000 } = options;
  let nowMs = 0;
  const main = openLeaseTable(createLeaseMemory(capacity));
  const table = openLeaseTable(main.memory);
  const calls: string[][] = [];
  let answer: (leases: readonly RenewArguments[]) => Renewed[] | Promise<Renewed[]> = (leases) =>
    leases.map(() => 'renewed');
  const marker: RenewalMarker = { redisKey: 'marker', setMs: null, iso: () => '' };
  const pass = () =>
    renewLeases({
      table,
      scripts: {
        async renew(leases) {
          const redisKeys = leases.map(({ redisKey, owner }) => redisKey + owner);
          calls.push(redisKeys);
          return { leases: await answer(leases), forgot: false };
        },
      },
      leaseMs: LEASE_MS,
      maxBlockMs,
      nowMs: () => nowMs,
      marker,
    });
  function put(index: number, { deadlineMs = LEASE_MS, renewUntilMs = 1e9, generation = 1 } = {}): void {
    main.put(index, { redisKey: `k${index}`, owner: 'ö', renewUntilMs }, { deadlineMs, generation });
  }
  put(0);
  return {
    main,
    put,
    pass,
    calls,
    at: (ms: number) => {
      nowMs = ms;
      main.noteLoopAlive(ms);
    },
    setNow: (ms: number) => {
      nowMs = ms;
    },
    redis: (next: typeof answer) => {
      answer = next;
    },
  };
}

test('of more than 500 leases each is asked once, and what one call found the next ones are told', async () => {
  const main = openLeaseTable(createLeaseMemory(1100));
  for (let index = 0; index < 1100; index++)
    main.put(index, { redisKey: `k${index}`, owner: 'o', renewUntilMs: 1e9 }, { deadlineMs: LEASE_MS, generation: 1 });
  const calls: { size: number; forgot: boolean }[] = [];
  await renewLeases({
    table: main,
    scripts: {
      async renew(leases, { forgot }) {
        calls.push({ size: leases.length, forgot });
        return { leases: leases.map(() => 'renewed'), forgot: true };
      },
    },
    leaseMs: LEASE_MS,
    maxBlockMs: 30_000,
    nowMs: () => 1000,
    marker: { redisKey: 'marker', setMs: null, iso: () => '' },
  });
  expect(calls).toEqual([
    { size: 500, forgot: false },
    { size: 500, forgot: true },
    { size: 100, forgot: true },
  ]);
  expect([0, 499, 500, 1099].map((index) => main.word(index).deadlineMs)).toEqual(Array(4).fill(1000 + LEASE_MS));
});

test('a renewed lease is good from the instant the call was sent', async () => {
  const { pass, at, redis, main, calls } = setUp();
  redis((leases) => {
    at(3400);
    return leases.map(() => 'renewed');
  });
  at(3000);
  expect(await pass()).toBe(0);
  expect(calls).toEqual([['k0ö']]);
  expect(main.word(0)).toEqual({ deadlineMs: 13_000, generation: 1 });
});

test('a lease that Redis no longer has is lost', async () => {
  const { pass, redis, main } = setUp();
  redis(() => ['lost']);
  expect(await pass()).toBe(1);
  expect(main.word(0).deadlineMs).toBe(LOST);
  expect(await pass()).toBe(0);
});

test('a lease past its deadline is lost and never renewed, even if Redis would', async () => {
  const { pass, at, main, calls } = setUp();
  at(10_000);
  expect(await pass()).toBe(1);
  expect(main.word(0).deadlineMs).toBe(LOST);
  expect(calls).toEqual([]);
});

test('while Redis does not answer the deadline stands', async () => {
  const { pass, redis, main } = setUp();
  redis(() => Promise.reject(new Error('down')));
  await expect(pass()).rejects.toThrow('down');
  expect(main.word(0).deadlineMs).toBe(LEASE_MS);
});

test('a main loop that was blocked for as long as it may be, and no longer, keeps its leases', async () => {
  const { pass, at, setNow, calls } = setUp({ maxBlockMs: 5000 });
  at(1000);
  setNow(6000);
  expect([await pass(), calls.length]).toEqual([0, 1]);
});

test('nothing is renewed once the main loop was blocked for too long', async () => {
  const { pass, at, setNow, calls } = setUp({ maxBlockMs: 5000 });
  at(1000);
  setNow(6001);
  await pass();
  expect(calls).toEqual([]);
});

test('nothing is renewed beyond the time it may be held', async () => {
  const { pass, put, at, calls } = setUp();
  put(1, { renewUntilMs: 2000 });
  at(2001);
  await pass();
  expect(calls).toEqual([['k0ö']]);
});

test('a lease released during the call stays released, and one that took its place is not touched', async () => {
  const { pass, redis, put, main } = setUp();
  redis(() => {
    put(0, { deadlineMs: 12_345, generation: 2 });
    return ['lost'];
  });
  expect(await pass()).toBe(0);
  expect(main.word(0)).toEqual({ deadlineMs: 12_345, generation: 2 });
});

test('free places are left out, and no call has more than 500 leases', async () => {
  const { pass, put, calls } = setUp({ capacity: 2000 });
  for (let index = 1; index < 1200; index++) put(index + 300);
  await pass();
  expect(calls.map((keys) => keys.length)).toEqual([500, 500, 200]);
});

test('a lease that Redis forgot is taken anew only by who has left a marker before, and only while it is fresh', async () => {
  const { pass, at, redis, main } = setUp();
  const asked: boolean[] = [];
  redis((leases) => {
    asked.push(...leases.map(({ mayRetake }) => mayRetake));
    return leases.map(() => 'renewed');
  });
  at(3000);
  await pass();
  at(6900);
  await pass();
  at(11_000);
  await pass();
  expect(asked).toEqual([false, true, false]);
  expect(main.word(0).deadlineMs).toBe(21_000);
});

test('a lease that was taken anew is lost all the same if the answer came too late', async () => {
  const { pass, at, redis, main } = setUp();
  redis(() => ['retaken']);
  at(3000);
  expect(await pass()).toBe(0);
  expect(main.word(0).deadlineMs).toBe(13_000);
  redis(() => {
    at(7000);
    return ['retaken'];
  });
  at(6900);
  expect(await pass()).toBe(1);
  expect(main.word(0).deadlineMs).toBe(LOST);
});
