import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { testRedis } from '../src/index.ts';

const [first, second] = [await testRedis(), await testRedis()];
const one = new Redis(first.url);
const other = new Redis(second.url);
afterAll(() => {
  one.disconnect();
  other.disconnect();
});

test('each call gets an empty Redis database of its own', async () => {
  await one.set('key', 'value');
  expect(await other.dbsize()).toBe(0);
  expect(first.prefix).not.toBe(second.prefix);
});

test('it never evicts', async () => {
  expect(await one.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
});
