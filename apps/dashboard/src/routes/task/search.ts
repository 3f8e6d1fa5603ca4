import * as z from 'zod/mini';

/** What the address of a task has in it. What cannot be read is left out. */
export const taskSearch = z.object({
  /** How its history is divided. Default: by day. */
  history: z.catch(z.optional(z.literal('hour')), undefined),
});

export type TaskSearch = z.infer<typeof taskSearch>;
