import { z } from 'zod';
import { DAY } from './clock.ts';
import { formatSpan } from './format-span.ts';

/**
 * How many runs of a task may start within a time. `limit` and `key` are what Inngest's `throttle` and Hatchet's rate limits
 * call them, `perMs` is their period with its unit in the name; Oban Pro says `allowed` and `period`, BullMQ `max` and `duration`.
 */
export const rateLimit = z.strictObject({
  /** Starts at most in any stretch of `perMs`, over all workers. Each attempt is a start, a retry too. 1 to 100,000. */
  limit: z.int().min(1).max(100_000),
  /** Length of the stretch in milliseconds: so long after a start its token comes back. 100 to 30 days. */
  perMs: z
    .int()
    .min(100)
    .max(30 * DAY),
  /**
   * What is counted together; may hold `{{payload.field}}`. Tasks with the same key share what is allowed. Default: the
   * task's name.
   */
  key: z.string().min(1).max(512).optional(),
});

export type RateLimit = z.output<typeof rateLimit>;

/** A rate in words: `10 starts in 1 min`. */
export function formatRate({ limit, perMs }: Pick<RateLimit, 'limit' | 'perMs'>): string {
  return `${limit} ${limit === 1 ? 'start' : 'starts'} in ${formatSpan(perMs)}`;
}
