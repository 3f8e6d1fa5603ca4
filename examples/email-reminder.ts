import { cron, defineTask, type TaskContext } from '@escapement/sdk';
import { z } from 'zod';

export const OPENINGS = [
  'A quiet reminder',
  'Just so that it is not forgotten',
  'Still waiting for you',
  'When you have a minute',
  'One small thing',
] as const;

/** Where the mails go, and where chance comes from: what a test replaces. */
export interface ReminderOptions {
  /** The id is that of the run, the same in all its attempts: a mail server that knows it sends no mail twice. */
  send(mail: { id: string; to: string; subject: string }, log: TaskContext['log']): Promise<void>;
  /** From 0 to less than 1. */
  random(): number;
}

export const emailReminder = ({ send, random }: ReminderOptions) =>
  defineTask({
    name: 'email-reminder',
    description: 'Reminds somebody, never twice in a row in the same words.',
    schedule: cron('0 9 * * MON-FRI', 'Europe/Berlin'),
    payload: z.object({ to: z.email() }),
    defaultPayload: { to: 'team@example.com' },
    // One state for each recipient.
    key: 'email-reminder:{{payload.to}}',
    retry: { maxAttempts: 3, backoff: { kind: 'fixed', delayMs: 30_000 } },
    state: z.object({ last: z.string().nullable() }).default({ last: null }),
    async run({ to }, ctx) {
      const fresh = OPENINGS.filter((opening) => opening !== ctx.state.last);
      const subject = fresh[Math.floor(random() * fresh.length)] ?? OPENINGS[0];
      await send({ id: ctx.run.id, to, subject }, ctx.log);
      // Kept with the success of the run only: after a failure the choice is as free as it was.
      ctx.state.last = subject;
      return { subject };
    },
  });

export default emailReminder({
  send: async (mail, log) => log.info('a mail would go out', mail),
  random: Math.random,
});
