import * as z from 'zod/mini';

/** What the address of alert rules has in it. What cannot be read is left out. */
export const alertingSearch = z.object({
  /** Only messages to this one. Default: to all. */
  receiver: z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(250))), undefined),
});

export type AlertingSearch = z.infer<typeof alertingSearch>;
