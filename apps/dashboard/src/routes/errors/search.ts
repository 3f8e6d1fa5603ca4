import * as z from 'zod/mini';
import { HOUR } from '../../time/durations.ts';

export const SINCES = ['1h', '24h', '7d', '30d'] as const;

export type Since = (typeof SINCES)[number];

export const SHOWN = ['open', 'muted', 'resolved', 'all'] as const;

/** Which errors are shown. `open`: also those that were resolved and are back. */
export type ErrorShown = (typeof SHOWN)[number];

/** What the address of the errors has in it. What cannot be read is left out. */
export const errorsSearch = z.object({
  /** Default: a day. */
  since: z.catch(z.optional(z.enum(SINCES)), undefined),
  /** Default: the open ones. */
  shown: z.catch(z.optional(z.enum(SHOWN)), undefined),
  /** The name of a task: its failures alone. */
  task: z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(250))), undefined),
});

export type ErrorsSearch = z.infer<typeof errorsSearch>;

const DEFAULT_SINCE: Since = '24h';
const SPANS: Readonly<Record<Since, number>> = { '1h': HOUR, '24h': 24 * HOUR, '7d': 168 * HOUR, '30d': 720 * HOUR };

export const sinceOf = ({ since = DEFAULT_SINCE }: ErrorsSearch): Since => since;

export const spanMsOf = (search: ErrorsSearch): number => SPANS[sinceOf(search)];

/** What the API is asked with. */
export function queryOf(search: ErrorsSearch) {
  const { shown = 'open', task } = search;
  return {
    since: sinceOf(search),
    ...(task === undefined ? {} : { task }),
    ...(shown === 'all' ? {} : { state: shown === 'open' ? 'open,back' : shown }),
  };
}
