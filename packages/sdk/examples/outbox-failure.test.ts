import { testTask } from '@escapement/sdk/testing';
import { expect, test } from 'vitest';
import { outbox } from './outbox.ts';

const broken = outbox({
  next: async () => ['mail'],
  send: async () => {
    throw new Error('451 try again later');
  },
});

test('is tried again a minute later, and keeps its count', async () => {
  const result = await testTask(broken, { state: { sent: 7 }, now: '2026-01-01T12:00:00Z' });
  expect(result).toMatchObject({
    status: 'retrying',
    retryAt: new Date('2026-01-01T12:01:00Z'),
    error: { name: 'Error', message: '451 try again later' },
    state: { sent: 7 },
  });
});

test('fails with the third attempt', async () => {
  const { status, reason } = await testTask(broken, { run: { attempt: 3 } });
  expect([status, reason]).toEqual(['failed', '451 try again later (attempt 3 of 3)']);
});

test('a payload that does not fit ends it before it begins', async () => {
  const { status, error } = await testTask(broken, { payload: { batch: 0 } });
  expect([status, error?.message]).toEqual(['failed', expect.stringContaining('payload.batch')]);
});
