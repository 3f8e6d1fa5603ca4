import { expect, test } from 'vitest';
import { queueBlockFix, queueBlockWords, sinceFirstSeen } from './queue-block.ts';

const PAUSED = { queue: 'default+shell', kind: 'paused', since: '2026-01-01T00:00:00.000Z' } as const;

test('a block counts from when it was first seen, and ends when it is gone', () => {
  const later = { ...PAUSED, since: '2026-01-01T00:00:05.000Z' };
  const rate = { ...later, kind: 'rate' } as const;
  expect(sinceFirstSeen([PAUSED], [later, rate])).toEqual([PAUSED, rate]);
  expect(sinceFirstSeen([PAUSED], [])).toEqual([]);
});

test('a block says what, since when, and what helps for the pool', () => {
  expect(queueBlockWords(PAUSED)).toMatch(/^the queue "default\+shell" was paused in Redis.*since 2026-01-01/);
  expect(queueBlockFix(PAUSED)).toContain('`escapement pools resume default`');
  expect(queueBlockFix({ ...PAUSED, kind: 'taken' })).toContain('other program');
});
