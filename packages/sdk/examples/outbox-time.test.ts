import { HOUR, SECOND } from '@escapement/sdk';
import { testTask } from '@escapement/sdk/testing';
import { expect, test } from 'vitest';
import { outbox } from './outbox.ts';

const endless = { next: async () => ['mail'] };

test('stops before its next run, where there is more than it can send', async () => {
  // Each mail takes 50 s of the test's time; of the 5 minutes until the next run 10% are kept free.
  const slow = { ...endless, send: async () => void run.advance(50 * SECOND) };
  const run = testTask(outbox(slow), { now: '2026-03-29T00:00:00Z' });
  const { output, durationMs, log } = await run;
  expect({ output, durationMs }).toMatchObject({ output: { ended: 'time' }, durationMs: 250_000 });
  expect(log).toBe('2026-03-29T00:04:10.000Z WARN  there is more to send than fits into the time\n');
});

test('the same, with turns that last as long as said', async () => {
  const result = await testTask(outbox({ ...endless, send: async () => undefined }), { turnMs: 50 * SECOND });
  expect(result).toMatchObject({ output: { ended: 'time' }, state: { sent: 5 }, heartbeats: 5 });
});

test('a server that never answers is given up at the time limit, and asked again after a minute', async () => {
  const run = testTask(outbox({ ...endless, send: () => new Promise(() => undefined) }));
  await run.advance(1 * HOUR);
  expect(await run).toMatchObject({
    status: 'retrying',
    reason: 'ran longer than its time limit of 10 min',
    retryAt: new Date('2026-01-01T00:11:05Z'),
  });
});
