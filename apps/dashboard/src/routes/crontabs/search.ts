import * as z from 'zod/mini';

export const SPANS = ['24h', '7d', '30d'] as const;

/** What the address of the crontabs has in it. What cannot be read is left out. */
export const crontabsSearch = z.object({
  /** A part of the name of a crontab, a task, or a command. */
  name: z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(200))), undefined),
  /** What was due, and started, since then. Default: 7d. */
  since: z.catch(z.optional(z.enum(SPANS)), undefined),
});

export type CrontabsSearch = z.infer<typeof crontabsSearch>;
