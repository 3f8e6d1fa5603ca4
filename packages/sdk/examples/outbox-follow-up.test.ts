import { testTask } from '@escapement/sdk/testing';
import { expect, test } from 'vitest';
import { outbox } from './outbox.ts';

test('every 10,000 mails are reported, by a run of another task', async () => {
  const waiting = [['the last one']];
  const mailbox = { next: async () => waiting.shift() ?? [], send: async () => undefined };
  const { chained } = await testTask(outbox(mailbox), { state: { sent: 9_999 } });
  expect(chained).toEqual([{ task: 'outbox-report', payload: { sent: 10_000 } }]);
});
