import { type Clock, SECOND } from '@escapement/core';
import { beforeEach, expect, test } from 'vitest';
import { createLeaseProofs, type LeaseProofs } from './lease-proofs.ts';

const LEASE_MS = 10 * SECOND;
const RUN = { runId: 'r', worker: 'w', dispatch: 3, key: 'k', slot: 1 };
const OWN = { key: 'k', slot: 1, runId: 'r', worker: 'w', dispatch: 3, since: '' };

let nowMs = 0;
let held: { runId: string; worker: string; dispatch: number; expiresInMs: number } | undefined;
let proofs: LeaseProofs;
const clock: Clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };

beforeEach(() => {
  nowMs = 1000 * SECOND;
  proofs = createLeaseProofs({
    lookUp: async (places) => places.map(() => held && { ...OWN, ...held }),
    leaseMs: LEASE_MS,
    clock,
  });
});

async function overAfter(ms: number, lease: Partial<typeof OWN & { expiresInMs: number }> | undefined) {
  nowMs += ms;
  held = lease && { ...OWN, expiresInMs: 8 * SECOND, ...lease };
  const [over] = await proofs.areOver([RUN]);
  return over;
}

test('as long as its lease is renewed a run is in hand', async () => {
  for (let look = 0; look < 60; look++) expect(await overAfter(SECOND, {})).toBe(false);
});

test('a lease that ran out is over at once: its worker counts it as lost before Redis does', async () => {
  expect(await overAfter(0, { expiresInMs: 1800 })).toBe(false);
  expect(await overAfter(SECOND, { expiresInMs: 800 })).toBe(false);
  expect(await overAfter(SECOND, undefined)).toBe(true);
  expect(await overAfter(SECOND, undefined)).toBe(true);
});

test('a lease that was taken away is over after the time in which its worker finds out', async () => {
  expect(await overAfter(0, { expiresInMs: 8 * SECOND })).toBe(false);
  expect(await overAfter(SECOND, undefined)).toBe(false);
  expect(await overAfter(3.9 * SECOND, undefined)).toBe(false);
  expect(await overAfter(0.1 * SECOND, undefined)).toBe(true);
});

test('what was not seen before may have been taken away this moment', async () => {
  expect(await overAfter(0, undefined)).toBe(false);
  expect(await overAfter(4 * SECOND, undefined)).toBe(true);
});

test('looks far apart prove no running out: the lease may have been renewed between', async () => {
  expect(await overAfter(0, { expiresInMs: 5 * SECOND })).toBe(false);
  expect(await overAfter(6 * SECOND, undefined)).toBe(false);
});

test.each([{ runId: 'other' }, { worker: 'other' }, { dispatch: 4 }])(
  'the lease of another, %j, proves nothing',
  async (other) => {
    expect(await overAfter(0, other)).toBe(false);
    expect(await overAfter(4 * SECOND, other)).toBe(true);
  },
);

test('a lease that is seen again counts anew', async () => {
  expect(await overAfter(0, undefined)).toBe(false);
  expect(await overAfter(3 * SECOND, {})).toBe(false);
  expect(await overAfter(3 * SECOND, undefined)).toBe(false);
});

test('a lease has run out at the very instant at which it was to end', async () => {
  expect(await overAfter(0, { expiresInMs: SECOND })).toBe(false);
  expect(await overAfter(SECOND, undefined)).toBe(true);
});

test('looks a third of the lease time apart still prove that it ran out, and no further ones', async () => {
  const lookTwice = async (apartMs: number) => {
    let lease: (typeof OWN & { expiresInMs: number }) | undefined = { ...OWN, expiresInMs: 2 * SECOND };
    const { areOver } = createLeaseProofs({ lookUp: async () => [lease], leaseMs: 9 * SECOND, clock });
    await areOver([RUN]);
    lease = undefined;
    nowMs += apartMs;
    return await areOver([RUN]);
  };
  expect([await lookTwice(3 * SECOND), await lookTwice(3 * SECOND + 1)]).toEqual([[true], [false]]);
});

test('a run that was not asked about meanwhile counts anew', async () => {
  expect(await overAfter(0, undefined)).toBe(false);
  expect(await proofs.areOver([])).toEqual([]);
  expect(await overAfter(4 * SECOND, undefined)).toBe(false);
});
