import { setTimeout as wait } from 'node:timers/promises';
import { defineTask, every, MINUTE } from '@escapement/sdk';
import { z } from 'zod';

/** Mails `from` to `to`, which it does not include. */
export interface MailPackage {
  from: number;
  to: number;
}

/** What a test replaces. */
export interface MailSink {
  /** May be called again with the same mails after a crash: it must know them by their numbers. */
  send(mails: MailPackage, signal: AbortSignal): Promise<void>;
}

export const mailBatch = (sink: MailSink) =>
  defineTask({
    name: 'mail-batch',
    description: 'Sends seven million mails, a box of time at each occurrence, and is done then.',
    schedule: every(1 * MINUTE),
    payload: z.object({ total: z.int().min(0), size: z.int().min(1) }),
    defaultPayload: { total: 7_000_000, size: 5000 },
    state: z.object({ next: z.int().min(0) }).default({ next: 0 }),
    async run({ total, size }, ctx) {
      const box = await ctx.timebox(async ({ signal }) => {
        const from = ctx.state.next;
        const to = Math.min(from + size, total);
        if (from < to) await sink.send({ from, to }, signal);
        ctx.state.next = to;
        ctx.progress(to, total, 'mails');
        return to < total;
      });
      if (ctx.state.next >= total) ctx.scheduleNext(null);
      return { sent: ctx.state.next, ...box };
    },
  });

export default mailBatch({ send: (_mails, signal) => wait(200, undefined, { signal }) });
