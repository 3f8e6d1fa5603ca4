import * as z from 'zod/mini';

/** What the address of the backfills has in it. What cannot be read is left out. */
export const backfillsSearch = z.object({
  /** One is being started: of the task of this name, or of one that is still to be named (empty). */
  start: z.catch(z.optional(z.string().check(z.maxLength(250))), undefined),
});

export type BackfillsSearch = z.infer<typeof backfillsSearch>;
