import * as z from 'zod/mini';

export const SPANS = ['24h', '7d', '31d'] as const;

export type Span = (typeof SPANS)[number];

/** What the address of the forecast has in it. What cannot be read is left out. */
export const forecastSearch = z.object({
  /** How far ahead. Default: a day. */
  span: z.catch(z.optional(z.enum(SPANS)), undefined),
  /** What the rows before and after now are about. Default: tasks. */
  by: z.catch(z.optional(z.literal('key')), undefined),
  /** The name of a task, of which one asks what if. */
  task: z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(200))), undefined),
  /** Only what has this key. */
  key: z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(512))), undefined),
  pool: z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(63))), undefined),
});

export type ForecastSearch = z.infer<typeof forecastSearch>;

const DEFAULT_SPAN: Span = '24h';
/** So that a chart has about a hundred pieces. */
const ASKED = {
  '24h': { days: 1, step: '15m' },
  '7d': { days: 7, step: '1h' },
  '31d': { days: 31, step: '6h' },
} as const satisfies Record<Span, unknown>;

export const spanOf = ({ span = DEFAULT_SPAN }: ForecastSearch): Span => span;

/** So many days ahead, and for the rows so many back. */
export const daysOf = (search: ForecastSearch): number => ASKED[spanOf(search)].days;

/** What the API is asked with. */
export function queryOf(search: ForecastSearch, timeZone: string) {
  const { pool, key } = search;
  return {
    ...ASKED[spanOf(search)],
    timeZone,
    ...(pool === undefined ? {} : { pool }),
    ...(key === undefined ? {} : { key }),
  };
}
