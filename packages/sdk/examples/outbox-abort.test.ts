import { testTask } from '@escapement/sdk/testing';
import { expect, test } from 'vitest';
import { outbox } from './outbox.ts';

test('a shutdown ends it after the mail under way, and nothing is forgotten', async () => {
  let arrived: () => void = () => undefined;
  const mailbox = {
    next: async () => ['mail'],
    send: () =>
      new Promise<void>((resolve) => {
        arrived = resolve;
      }),
  };
  const run = testTask(outbox(mailbox), { state: { sent: 7 } });
  await run.abort('shutdown');
  arrived();
  expect(await run).toMatchObject({ status: 'succeeded', output: { ended: 'aborted' }, state: { sent: 8 } });
});
