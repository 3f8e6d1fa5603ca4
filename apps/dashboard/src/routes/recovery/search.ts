import * as z from 'zod/mini';

/** What the address of the recovery has in it. What cannot be read is left out. */
export const recoverySearch = z.object({
  /** The name of a task: its held runs, one by one. */
  task: z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(250))), undefined),
});

export type RecoverySearch = z.infer<typeof recoverySearch>;
