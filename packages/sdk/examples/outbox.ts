import { defineTask, every, MINUTE } from '@escapement/sdk';
import { z } from 'zod';

/** Where the mails come from, and where they go: what a test replaces. */
export interface Mailbox {
  next(count: number): Promise<string[]>;
  send(mails: readonly string[]): Promise<void>;
}

export const outbox = (mailbox: Mailbox) =>
  defineTask({
    name: 'outbox',
    schedule: every(5 * MINUTE, { jitterMs: 1 * MINUTE }),
    payload: z.object({ batch: z.int().min(1) }),
    defaultPayload: { batch: 500 },
    timeoutMs: 10 * MINUTE,
    retry: { maxAttempts: 3, backoff: { kind: 'fixed', delayMs: 1 * MINUTE } },
    state: z.object({ sent: z.int() }).default({ sent: 0 }),
    async run({ batch }, ctx) {
      const { ended } = await ctx.timebox(async ({ signal }) => {
        const mails = await mailbox.next(batch);
        if (mails.length === 0 || signal.aborted) return false;
        await mailbox.send(mails);
        ctx.state.sent += mails.length;
        ctx.progress(ctx.state.sent);
        return true;
      });
      if (ended === 'time') ctx.log.warn('there is more to send than fits into the time');
      if (ctx.state.sent >= 10_000) ctx.chain('outbox-report', { sent: ctx.state.sent });
      return { ended };
    },
  });

export default outbox({ next: async () => [], send: async () => undefined });
