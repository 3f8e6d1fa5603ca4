import { SECOND } from '@escapement/core';
import { expect, test } from 'vitest';
import { isTimeForCrontabs } from './observer.ts';

const now = new Date('2026-03-29T01:00:00Z');
const digests = (crontabs: string) => ({ alerts: '', fleet: '', crontabs });
const isTime = (was: string | null, is: string | null, saidMsAgo?: number) =>
  isTimeForCrontabs(
    {
      digests: was === null ? null : digests(was),
      crontabsAt: saidMsAgo === undefined ? null : new Date(now.getTime() - saidMsAgo),
    },
    is === null ? null : digests(is),
    now,
  );

test('what hosts tell of cron is said at once after a pause, and then gathered', () => {
  expect(isTime('one', 'two')).toBe(true);
  expect(isTime('one', 'two', 14 * SECOND)).toBe(false);
  expect(isTime('one', 'two', 15 * SECOND)).toBe(true);
});

test('where nothing is told, nothing is said, whoever has looked before', () => {
  expect(isTime('one', 'one')).toBe(false);
  expect(isTime('', '')).toBe(false);
  expect(isTime(null, '')).toBe(false);
  expect(isTime('one', '')).toBe(false);
  expect(isTime('one', null)).toBe(false);
});

test('who begins to look says what was told of late', () => expect(isTime(null, 'one')).toBe(true));
