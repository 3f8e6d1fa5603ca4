import { deleteLease, listLeases } from '@escapement/queue';
import { testRedis } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { aConnection } from './support.ts';

const { url } = await testRedis();
const client = new Redis(url);
afterAll(() => client.disconnect());
beforeEach(() => client.flushdb());

const SINCE = '2026-01-01T00:00:00.000Z';
const SLOTS = Array.from({ length: 12 }, (_, index) => index + 1);

const put = (key: string, slot: number, owner = 'run 1 w') =>
  client.set(`esc:{test:${key}}:lease:${slot}`, `${owner} ${SINCE}`, 'PX', 600_000);

test('leases are listed by key, and by slot as numbers', async () => {
  const keys = ['a', 'ab', 'b', 'c'];
  for (const slot of SLOTS.toReversed()) for (const key of ['c', 'a', 'b', 'ab']) await put(key, slot);
  const listed = await listLeases(aConnection(url));
  expect(listed.map(({ key, slot }) => [key, slot])).toEqual(keys.flatMap((key) => SLOTS.map((slot) => [key, slot])));
  const ofOne = await listLeases(aConnection(url), 'a');
  expect(ofOne.map(({ key, slot }) => [key, slot])).toEqual(SLOTS.map((slot) => ['a', slot]));
});

test('a lease is ended that is still the one that was seen', async () => {
  await put('k', 1);
  await put('k', 2);
  const connection = aConnection(url);
  const [lease] = await listLeases(connection);
  if (!lease) throw new Error('no lease');
  expect(await deleteLease(connection, lease)).toBe(true);
  expect((await listLeases(connection)).map(({ slot }) => slot)).toEqual([2]);
  expect(await deleteLease(connection, lease)).toBe(false);
});

test.each([
  ['another run', 'other 1 w'],
  ['a later dispatch', 'run 2 w'],
  ['another worker', 'run 1 other'],
  ['a run whose id begins with the same', 'run-2 1 w'],
])('a lease that has gone to %s meanwhile is left alone', async (_, owner) => {
  await put('k', 1);
  const connection = aConnection(url);
  const [lease] = await listLeases(connection);
  if (!lease) throw new Error('no lease');
  await put('k', 1, owner);
  expect(await deleteLease(connection, lease)).toBe(false);
  expect(await client.get('esc:{test:k}:lease:1')).toBe(`${owner} ${SINCE}`);
});
