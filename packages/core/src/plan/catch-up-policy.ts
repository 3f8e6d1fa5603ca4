import { z } from 'zod';
import { DAY } from '../clock.ts';

/** A misfired occurrence that is later than this is not caught up. */
const withinMs = z
  .int()
  .min(1)
  .max(366 * DAY)
  .optional();

/** Catch-up runs start one after the other within so many milliseconds, not all at once. Default 0: at once. */
const staggerMs = z.int().min(0).max(DAY).optional();

/** At most so many misfired occurrences are caught up, the newest ones; as many as may wait for one key. Default 100. */
const max = z.int().min(1).max(1000).optional();

const withOptions = z.discriminatedUnion('policy', [
  /** All misfired occurrences are missed. */
  z.strictObject({ policy: z.literal('none') }),
  /** The newest misfired occurrence runs. Default of withinMs: a period of the schedule, at most 24 h. */
  z.strictObject({ policy: z.literal('latest'), withinMs, staggerMs }),
  /** The oldest misfired occurrence runs. Default of withinMs: any age. */
  z.strictObject({ policy: z.literal('earliest'), withinMs, staggerMs }),
  /** All misfired occurrences run, one after the other in each key. Default of withinMs: any age. */
  z.strictObject({ policy: z.literal('all'), withinMs, max, staggerMs }),
  /** All misfired occurrences are held until a person says what becomes of them. Default of withinMs: any age. */
  z.strictObject({ policy: z.literal('ask'), withinMs, max }),
]);

/** A policy without options may be written as its name. */
const byName = z.enum(['none', 'latest', 'earliest', 'all', 'ask']).transform((policy) => ({ policy }));

/** What a task does about occurrences that nobody started within its misfire threshold. Default `latest`. */
export const catchUpPolicy = z.union([byName, withOptions], {
  error:
    'none, latest, earliest, all or ask; or { policy } with withinMs, max (all, ask), staggerMs (all but ask, none)',
});

export type CatchUpPolicy = z.output<typeof withOptions>;

/** How many misfired occurrences `all` and `ask` take unless the task says otherwise. */
const DEFAULT_MAX_CAUGHT_UP = 100;

export const DEFAULT_CATCH_UP: CatchUpPolicy = { policy: 'latest' };

/** How many occurrences of one outage a policy may start. */
export function mostCaughtUp(policy: CatchUpPolicy): number {
  switch (policy.policy) {
    case 'none':
      return 0;
    case 'latest':
    case 'earliest':
      return 1;
    case 'all':
    case 'ask':
      return policy.max ?? DEFAULT_MAX_CAUGHT_UP;
  }
}
