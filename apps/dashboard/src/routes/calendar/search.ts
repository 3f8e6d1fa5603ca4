import * as z from 'zod/mini';

/** As the API takes them. */
export const FIRST_YEAR = 1970;
export const LAST_YEAR = 2199;

/** What the address of a calendar has in it. What cannot be read is left out. */
export const calendarSearch = z.object({
  /** Default: this one. */
  year: z.catch(z.optional(z.int().check(z.minimum(FIRST_YEAR), z.maximum(LAST_YEAR))), undefined),
});

export type CalendarSearch = z.infer<typeof calendarSearch>;
