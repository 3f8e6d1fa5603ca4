import { instantText } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import { z } from 'zod';
import { INSTANT_EXAMPLE } from './example.ts';

/** An instant of an answer: text in JSON, a `Date` for who reads the answer in TypeScript. */
export const at = z.codec(
  z.string().meta({ format: 'date-time', description: `ISO 8601 in UTC, as in ${INSTANT_EXAMPLE}.` }),
  z.date(),
  { decode: (text) => new Date(text), encode: (instant) => instant.toISOString() },
);

/** Whole milliseconds. */
export const ms = z.number();

/** A number that may exceed a double: text in JSON. */
export const bigNumber = z.codec(z.string().regex(/^\d+$/), z.bigint(), {
  decode: (digits) => BigInt(digits),
  encode: (number) => number.toString(),
});

/** An instant of a request: with an offset. */
export const instantIn = instantText
  .transform((text) => new Date(text))
  .meta({ description: `ISO 8601 with an offset, as in ${INSTANT_EXAMPLE}.` });

/** Why something is done, for the audit. */
export const reasonIn = z.string().min(1).max(1000).optional().meta({ description: 'Why; kept in the audit.' });

/** A flag of a query. */
export const flagIn = z
  .enum(['true', 'false'])
  .default('false')
  .transform((word) => word === 'true');

/** A whole number of a query. */
export const countIn = (least: number, most: number, usual: number) =>
  z.coerce.number().int().min(least).max(most).default(usual);

/** Where a list goes on: what `next` of the page before said. */
export const afterIn = z.string().max(1000).optional().meta({ description: 'Go on there: `next` of the page before.' });

/** Labels of tasks, in a query. */
export const labelIn = z
  .string()
  .max(1000)
  .transform(parseSelector)
  .optional()
  .meta({ description: 'Only of tasks with these labels: `team=shop,env=test|stage`.' });

/** A page of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next: z.string().nullable().meta({ description: 'For `after` of the next page; null: this is the last one.' }),
  });
}
