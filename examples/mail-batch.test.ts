import { MINUTE } from '@escapement/sdk';
import { testTask } from '@escapement/sdk/testing';
import { expect, test } from 'vitest';
import { type MailPackage, mailBatch } from './mail-batch.ts';

const TOTAL = 7_000_000;

/** Takes each mail once, however often it comes. */
function carefulSink() {
  let sent = 0;
  let refused = 0;
  return {
    counts: () => ({ sent, refused }),
    async send({ from, to }: MailPackage) {
      if (from > sent) throw new Error(`mails ${sent} to ${from} are missing`);
      refused += Math.min(to, sent) - from;
      sent = Math.max(sent, to);
    },
  };
}

test('sends seven million mails, each once, in boxes that end before the next occurrence, and is done then', async () => {
  const sink = carefulSink();
  let state: { next: number } | undefined;
  let boxes = 0;
  for (;;) {
    const box = await testTask(mailBatch(sink), { state, turnMs: 200 });
    boxes += 1;
    state = box.state;
    expect(box).toMatchObject({ status: 'succeeded', output: { overrunMs: 0 } });
    expect(box.durationMs).toBeLessThan(1 * MINUTE);
    if (box.nextAt === null) break;
    expect(box.output?.ended).toBe('time');
  }
  expect(sink.counts()).toEqual({ sent: TOTAL, refused: 0 });
  // 1,400 packages of 200 ms make 280 s; a box of a minute less its margin holds 54 s.
  expect(boxes).toBe(6);
});

test('a box that fails is sent again by the next one, and a sink that knows the mails refuses the second time', async () => {
  const sink = carefulSink();
  let calls = 0;
  const breaking = {
    async send(mails: MailPackage) {
      if (++calls === 3) throw new Error('connection lost');
      await sink.send(mails);
    },
  };
  const payload = { total: 50_000, size: 5000 };
  const broken = await testTask(mailBatch(breaking), { payload });
  expect(broken).toMatchObject({ status: 'failed', state: undefined });
  expect(await testTask(mailBatch(sink), { payload, state: broken.state })).toMatchObject({
    status: 'succeeded',
    nextAt: null,
  });
  expect(sink.counts()).toEqual({ sent: 50_000, refused: 10_000 });
});

test('a shutdown ends the box after the package under way, and keeps how far it came', async () => {
  let arrive: () => void = () => undefined;
  const sink = {
    send: () =>
      new Promise<void>((resolve) => {
        arrive = resolve;
      }),
  };
  const run = testTask(mailBatch(sink), { state: { next: 10_000 } });
  await run.abort('shutdown');
  arrive();
  expect(await run).toMatchObject({ status: 'succeeded', output: { ended: 'aborted' }, state: { next: 15_000 } });
});
