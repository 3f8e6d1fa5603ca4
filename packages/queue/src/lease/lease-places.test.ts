import { expect, test } from 'vitest';
import { checkLeaseText, createLeasePlaces } from './lease-places.ts';
import { createLeaseMemory, FREE, LOST, openLeaseTable } from './lease-table.ts';

const ENTRY = { redisKey: 'k', owner: 'o', renewUntilMs: 500, deadlineMs: 100 };

function setUp(capacity = 2) {
  const table = openLeaseTable(createLeaseMemory(capacity));
  return { table, places: createLeasePlaces(table) };
}

test('a lease is good until its deadline, and no longer', () => {
  const place = setUp().places.take(ENTRY);
  expect([place.isGood(99), place.isGood(100)]).toEqual([true, false]);
});

test('place 0 is given first, and the one that was given back last', () => {
  const { table, places } = setUp();
  const first = places.take(ENTRY);
  expect(table.word(0).deadlineMs).toBe(100);
  places.take({ ...ENTRY, deadlineMs: 200 });
  expect(table.word(1).deadlineMs).toBe(200);
  first.free();
  expect(table.word(0).deadlineMs).toBe(FREE);
  places.take({ ...ENTRY, deadlineMs: 300 });
  expect(table.word(0)).toEqual({ deadlineMs: 300, generation: 2 });
});

test('there are as many places as the table has', () => {
  const { places } = setUp(1);
  places.take(ENTRY);
  expect(() => places.take(ENTRY)).toThrow('this process holds 1 leases already');
});

test('a place that is given back twice is given to one', () => {
  const { places } = setUp();
  const place = places.take(ENTRY);
  place.free();
  place.free();
  const [one, other] = [places.take(ENTRY), places.take(ENTRY)];
  one.spoil();
  expect(other.isGood(50)).toBe(true);
  expect(() => places.take(ENTRY)).toThrow('leases already');
});

test('who gave a place back no longer touches it', () => {
  const { table, places } = setUp();
  const before = places.take(ENTRY);
  before.free();
  const after = places.take({ ...ENTRY, deadlineMs: 200 });
  before.renewUntil(1);
  before.spoil();
  before.free();
  expect([after.isGood(150), before.isGood(50), table.renewUntilMs(0)]).toEqual([true, false, 500]);
});

test('a spoilt lease is good no more, though its place is taken', () => {
  const { table, places } = setUp();
  const place = places.take(ENTRY);
  place.renewUntil(700);
  place.spoil();
  expect([place.isGood(50), table.word(0).deadlineMs, table.renewUntilMs(0)]).toEqual([false, LOST, 700]);
});

test('a text of 2,044 bytes fits, and none that is longer, whichever part of it is long', () => {
  const check = (redisKey: string, owner: string) => () => checkLeaseText({ redisKey, owner });
  expect(check('k'.repeat(2000), 'o'.repeat(44))).not.toThrow();
  expect(check('ä'.repeat(1000), 'o'.repeat(44))).not.toThrow();
  expect(check('k'.repeat(2001), 'o'.repeat(44))).toThrow('2045 bytes');
  expect(check('k'.repeat(1045), 'o'.repeat(1000))).toThrow('2045 bytes');
  expect(check('ä'.repeat(1001), 'o'.repeat(44))).toThrow('2046 bytes');
});
