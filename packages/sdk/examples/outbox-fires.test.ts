import { MINUTE } from '@escapement/sdk';
import { fires } from '@escapement/sdk/testing';
import { expect, test } from 'vitest';
import outbox from './outbox.ts';

test('is due every five minutes, and starts within a minute of it', () => {
  const found = fires(outbox, { from: '2026-03-29T00:55:00Z', count: 3 });
  expect(found.map(({ scheduledFor }) => scheduledFor.toISOString().slice(11, 16))).toEqual([
    '01:00',
    '01:05',
    '01:10',
  ]);
  for (const { scheduledFor, dueAt } of found)
    expect(dueAt.getTime() - scheduledFor.getTime()).toBeLessThan(1 * MINUTE);
});
