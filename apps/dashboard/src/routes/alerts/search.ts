import * as z from 'zod/mini';

/** What the address of the alerts has in it. What cannot be read is left out. */
export const alertsSearch = z.object({
  /** Also those that are over. Default: those of now. */
  all: z.catch(z.optional(z.literal(true)), undefined),
});

export type AlertsSearch = z.infer<typeof alertsSearch>;
