import { expect, test } from 'vitest';
import { createLeaseMemory, FREE, MAX_TEXT_BYTES, openLeaseTable, sharedNowMs } from './lease-table.ts';

const entryOf = (index: number) => ({
  redisKey: `ключ ${index} `.padEnd(40 + index, 'k'),
  owner: `run-${index} 1 w `.padEnd(30 - index, 'o'),
  renewUntilMs: 1_000_000 + index,
});

test('each place keeps its own entry, and another thread reads the same', () => {
  const table = openLeaseTable(createLeaseMemory(5));
  const other = openLeaseTable(table.memory);
  expect([table.capacity, other.capacity]).toEqual([5, 5]);
  table.noteLoopAlive(4711);
  for (let index = 0; index < 5; index++)
    table.put(index, entryOf(index), { deadlineMs: 2_000_000 + index, generation: index + 1 });
  for (let index = 0; index < 5; index++) {
    const { renewUntilMs, ...text } = entryOf(index);
    expect(other.text(index)).toEqual(text);
    expect(other.renewUntilMs(index)).toBe(renewUntilMs);
    expect(other.word(index)).toEqual({ deadlineMs: 2_000_000 + index, generation: index + 1 });
  }
  expect(other.loopAliveMs()).toBe(4711);
});

test('the longest text fits into the last place, beside its neighbour', () => {
  const table = openLeaseTable(createLeaseMemory(2));
  const longest = { redisKey: 'k'.repeat(MAX_TEXT_BYTES - 100), owner: 'o'.repeat(100), renewUntilMs: 1 };
  for (const index of [0, 1]) table.put(index, longest, { deadlineMs: 9, generation: 1 });
  for (const index of [0, 1]) expect(table.text(index)).toEqual({ redisKey: longest.redisKey, owner: longest.owner });
});

test('a word is replaced only while it is the expected one', () => {
  const table = openLeaseTable(createLeaseMemory(1));
  const [first, second] = [
    { deadlineMs: 5, generation: 1 },
    { deadlineMs: 5, generation: 2 },
  ];
  table.set(0, first);
  expect(table.swap(0, second, { deadlineMs: FREE, generation: 2 })).toBe(false);
  expect(table.word(0)).toEqual(first);
  expect(table.swap(0, first, second)).toBe(true);
  expect(table.word(0)).toEqual(second);
});

test.each([1, 1000, 8192])('a table for %d leases has a place for each, and no more', (capacity) => {
  const table = openLeaseTable(createLeaseMemory(capacity));
  expect(table.capacity).toBe(capacity);
  const last = capacity - 1;
  table.put(last, entryOf(9), { deadlineMs: 1, generation: 1 });
  expect(table.text(last)).toEqual({ redisKey: entryOf(9).redisKey, owner: entryOf(9).owner });
});

test('the clock of all threads counts milliseconds', () => {
  const nowMs = Number(process.hrtime.bigint()) / 1e6;
  const elapsedMs = sharedNowMs() - nowMs;
  expect(elapsedMs).toBeGreaterThanOrEqual(-1);
  expect(elapsedMs).toBeLessThan(60_000);
});
