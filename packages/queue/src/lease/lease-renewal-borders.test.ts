import { expect, test } from 'vitest';
import { type RenewalMarker, renewLeases } from './lease-renewal.ts';
import { createLeaseMemory, FREE, type LeaseTable, LOST, openLeaseTable } from './lease-table.ts';

const LEASE_MS = 10_000;
/** Some time after the start of the machine. */
const START_MS = 1_000_000;
const NEVER_MS = 1e12;

/** A table with one lease that is good for all of its time, and a Redis that renews all. */
function setUp() {
  let nowMs = START_MS;
  const table = openLeaseTable(createLeaseMemory(2));
  const asked: { redisKey: string; mayRetake: boolean }[][] = [];
  const marker: RenewalMarker = { redisKey: 'marker', setMs: null, iso: () => '' };
  const put = ({ deadlineMs = nowMs + LEASE_MS, renewUntilMs = NEVER_MS, generation = 1 } = {}) =>
    table.put(0, { redisKey: 'k', owner: 'o', renewUntilMs }, { deadlineMs, generation });
  put();
  return {
    table,
    asked,
    put,
    /** A pass so long after the start. */
    async passAt(ms: number, seen: LeaseTable = table) {
      nowMs = START_MS + ms;
      table.noteLoopAlive(nowMs);
      return await renewLeases({
        table: seen,
        scripts: {
          async renew(leases) {
            asked.push(leases.map(({ redisKey, mayRetake }) => ({ redisKey, mayRetake })));
            return { leases: leases.map(() => 'renewed'), forgot: false };
          },
        },
        leaseMs: LEASE_MS,
        maxBlockMs: 1000,
        nowMs: () => nowMs,
        marker,
      });
    },
  };
}

test('a lease that is lost is counted once', async () => {
  const { passAt, table } = setUp();
  expect([await passAt(LEASE_MS), await passAt(LEASE_MS + 1)]).toEqual([1, 0]);
  expect(table.word(0).deadlineMs).toBe(LOST);
});

test('a lease is renewed up to the very instant until which it may be held', async () => {
  const { put, passAt, asked } = setUp();
  put({ renewUntilMs: START_MS + 500 });
  await passAt(500);
  expect(asked).toHaveLength(1);
  await passAt(501);
  expect(asked).toHaveLength(1);
});

test.each([
  ['was given back', { deadlineMs: FREE, generation: 1 }],
  ['was given to another lease', { deadlineMs: START_MS + LEASE_MS, generation: 2 }],
  ['was given to another lease, and back', { deadlineMs: FREE, generation: 2 }],
])('a place that %s while its text was read is left out', async (_, word) => {
  const { table, passAt, asked } = setUp();
  const text = (index: number) => {
    table.set(index, word);
    return table.text(index);
  };
  expect(await passAt(100, { ...table, text })).toBe(0);
  expect(asked).toEqual([]);
  expect(table.word(0)).toEqual(word);
});

test.each([
  [3999, true],
  [4000, false],
])('a lease that was there %d ms ago, of ten seconds, may be taken anew: %s', async (ms, mayRetake) => {
  const { passAt, asked } = setUp();
  await passAt(0);
  await passAt(ms);
  expect(asked).toEqual([[{ redisKey: 'k', mayRetake: false }], [{ redisKey: 'k', mayRetake }]]);
});

test.each([
  [LEASE_MS - 1, true],
  [LEASE_MS, false],
])('a lease may be taken anew where the marker was set %d ms ago: %s', async (ms, mayRetake) => {
  const { put, passAt, asked } = setUp();
  await passAt(0);
  put({ deadlineMs: START_MS + ms + LEASE_MS });
  await passAt(ms);
  expect(asked[1]).toEqual([{ redisKey: 'k', mayRetake }]);
});
