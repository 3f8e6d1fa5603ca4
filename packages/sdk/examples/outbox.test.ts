import { testTask } from '@escapement/sdk/testing';
import { expect, test } from 'vitest';
import { outbox } from './outbox.ts';

test('sends what there is, and counts it', async () => {
  const waiting = ['a', 'b', 'c'];
  const sent: string[] = [];
  const mailbox = {
    next: async (count: number) => waiting.splice(0, count),
    send: async (mails: readonly string[]) => void sent.push(...mails),
  };
  const run = await testTask(outbox(mailbox), { payload: { batch: 2 }, state: { sent: 40 } });
  expect(run).toMatchObject({ status: 'succeeded', output: { ended: 'operator' }, state: { sent: 43 }, chained: [] });
  expect(run.progress.map(({ done }) => done)).toEqual([42, 43]);
  expect(sent).toEqual(['a', 'b', 'c']);
});
